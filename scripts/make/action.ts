import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartupError } from '#store'
import { root } from '../support/project.ts'
import { format } from './format.ts'
import { importing } from './sources.ts'

interface ActionRequest {
  readonly type: string
  readonly name: string
  readonly on: 'resource' | 'collection'
}

/** The sources of the action and of the policy with its ability, by path. */
export async function planAction({ type, name, on }: ActionRequest): Promise<Map<string, string>> {
  const folder = `resources/${type}`
  const file = `${folder}/actions/${name}.ts`
  if (!/^[a-z][a-zA-Z0-9]*(-[a-zA-Z0-9]+)*$/.test(name))
    throw new StartupError(`'${name}' is not a name for an action: letters and digits, as in 'publish'.`)
  if (!existsSync(join(root, folder, 'entity.ts')))
    throw new StartupError(`${folder}/entity.ts does not exist; an action is added to a resource with an entity.`)
  if (existsSync(join(root, file))) throw new StartupError(`${file} already exists.`)
  const sources = new Map([[file, actionSource(await readEntityName(folder), type, name, on)]])
  const policy = `${folder}/policy.ts`
  if (existsSync(join(root, policy))) {
    const source = await readFile(join(root, policy), 'utf8')
    if (!new RegExp(`^ {2}(?:override |async )*${name}\\b`, 'm').test(source))
      sources.set(policy, withAbility(source, name, policy))
  }
  return sources
}

export async function writeAction(sources: ReadonlyMap<string, string>): Promise<void> {
  for (const [file, source] of sources) {
    await mkdir(dirname(join(root, file)), { recursive: true })
    await writeFile(join(root, file), source)
  }
  await format(...sources.keys())
}

async function readEntityName(folder: string): Promise<string> {
  const source = await readFile(join(root, folder, 'entity.ts'), 'utf8')
  const [, entity] = /^export class (\w+)/m.exec(source) ?? []
  if (!entity) throw new StartupError(`${folder}/entity.ts exports no class.`)
  return entity
}

function actionSource(entity: string, type: string, name: string, on: ActionRequest['on']): string {
  const isResource = on === 'resource'
  const path = isResource ? `/${type}/{id}/-actions/${name}` : `/${type}/-actions/${name}`
  const body = isResource
    ? "answers: 'data',\n\n  handle({ subject }) {\n    return data(subject)\n  },"
    : "on: 'collection',\n  answers: 'meta',\n\n  handle() {\n    return meta({ done: true })\n  },"
  return `${importing(`${isResource ? 'data' : 'meta'}, defineAction`, '#plugins/actions/index.ts')}
${importing(entity, '../entity.ts')}

/** \`POST ${path}\` */
export default defineAction(${entity}, {
  ${body}
})
`
}

/** Adds a method to the policy that allows the action to authenticated callers. */
function withAbility(source: string, name: string, file: string): string {
  const start = source.search(/^export class \w+ extends Policy/m)
  const end = source.indexOf('\n}\n', start)
  if (start < 0 || end < 0)
    throw new StartupError(`${file} exports no class that extends Policy; add the method '${name}' there.`)
  const method = `\n  ${/^\w+$/.test(name) ? name : `'${name}'`}(principal: Principal | null) {\n    return principal !== null\n  }`
  const imported = /\bPrincipal\b/.test(source) ? '' : `${importing('type Principal', '#kernel')}\n`
  return imported + source.slice(0, end) + method + source.slice(end)
}
