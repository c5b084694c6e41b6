import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { camelize } from 'inflection'
import { StartupError } from '#store'
import { root } from '../support/project.ts'
import { format } from './format.ts'
import { importing } from './sources.ts'

/** The sources of the folder, of app/plugins.ts and of docs/features.md, by path. */
export async function planPlugin(name: string): Promise<Map<string, string>> {
  const functionName = checkName(name)
  const [list, features] = await Promise.all(
    ['app/plugins.ts', 'docs/features.md'].map((file) => readFile(join(root, file), 'utf8')),
  )
  if (new RegExp(`\\b${functionName}\\b`).test(list ?? '')) {
    throw new StartupError(`app/plugins.ts already has '${functionName}'; choose another name.`)
  }
  return new Map([
    [`plugins/${name}/index.ts`, pluginSource(name, functionName)],
    [`plugins/${name}/${name}.test.ts`, testSource(name)],
    ['app/plugins.ts', withLine(list ?? '', name, functionName)],
    ['docs/features.md', withRow(features ?? '', name)],
  ])
}

export async function writePlugin(sources: ReadonlyMap<string, string>): Promise<void> {
  for (const [file, source] of sources) {
    await mkdir(join(root, file, '..'), { recursive: true })
    await writeFile(join(root, file), source)
  }
  await format(...[...sources.keys()].filter((file) => file.endsWith('.ts')))
}

/** The name of the function that creates the plugin. */
function checkName(name: string): string {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    throw new StartupError(
      `'${name}' is not a name for a plugin: small letters and digits, words joined by hyphens, as in 'audit-log'.`,
    )
  }
  if (existsSync(join(root, 'plugins', name))) throw new StartupError(`plugins/${name} already exists.`)
  const functionName = camelize(name.replaceAll('-', '_'), true)
  try {
    new Function(`'use strict'; const ${functionName} = 1`)
  } catch {
    throw new StartupError(`A plugin cannot be called '${name}': the word is reserved in JavaScript.`)
  }
  return functionName
}

function headerName(name: string): string {
  return `X-${camelize(name.replaceAll('-', '_')).replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-')}`
}

function pluginSource(name: string, functionName: string): string {
  return `${importing('addSteps, type Plugin', '#kernel/plugin')}

/** Adds a header to every response of a resource. For all URLs, also unknown ones and pages, use \`middleware\`. */
export function ${functionName}(): Plugin {
  return {
    name: '${name}',

    plan: addSteps({
      respond({ ctx }) {
        ctx.set('${headerName(name)}', 'on')
      },
    }),
  }
}
`
}

function testSource(name: string): string {
  return `${importing('expect', 'chai')}
${importing('defineType', '#kernel')}
${importing('memoryProvider', '#memory')}
${importing('createTestApp', '#test/support/test-kit.ts')}

const resource = defineType<{ id: string }>()({
  type: 'samples',
  operations: ['FetchCollection', 'FetchOne'],
  fields: ({ id }) => [id()],
  provider: memoryProvider([{ id: '1' }]),
})
const resources = [{ file: 'samples', resource }]

describe('${name}', () => {
  it('adds its header to every response of a resource, errors included', async () => {
    const { client, close } = await createTestApp({ resources })
    const responses = [await client.get('/samples'), await client.get('/samples/missing')]
    await close()
    for (const { headers } of responses) expect(headers.get('${headerName(name)}')).to.equal('on')
  })

  it('adds no header when the plugin is disabled', async () => {
    const { client, close } = await createTestApp({ resources, disabled: ['${name}'] })
    const { headers } = await client.get('/samples')
    await close()
    expect(headers.get('${headerName(name)}')).to.equal(null)
  })
})
`
}

/** Adds the plugin to the end of the list. */
function withLine(list: string, name: string, functionName: string): string {
  const end = list.lastIndexOf('\n]')
  if (end < 0) throw new StartupError('app/plugins.ts does not end with the list of plugins.')
  const start = list.indexOf('\nimport ') + 1
  const line = importing(functionName, `#plugins/${name}/index.ts`)
  return `${list.slice(0, start)}${line}\n${list.slice(start, end)}\n  ${functionName}(),${list.slice(end)}`
}

/** Adds the plugin to the end of the table of features, which has the order of app/plugins.ts. */
function withRow(features: string, name: string): string {
  const last = [...features.matchAll(/^\| `[\w-]+` \|.*$/gm)].at(-1)
  if (!last) throw new StartupError('docs/features.md has no table of plugins.')
  const end = last.index + last[0].length
  const row = `| \`${name}\` | adds the header \`${headerName(name)}\` to every response of a resource |`
  return `${features.slice(0, end)}\n${row}${features.slice(end)}`
}
