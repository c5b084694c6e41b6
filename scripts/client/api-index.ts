import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCatalogue } from '#app/kernel/boot/error-catalogue.ts'
import { plugins } from '#app/plugins.ts'
import { httpErrors } from '#http'
import { root } from '../support/root.ts'

/** The source of `resources/api.ts`: the type of every resource folder, and the error codes of the plugins. */
export function apiIndex(): string {
  const folders = readdirSync(join(root, 'resources'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(root, 'resources', entry.name, 'resource.ts')))
    .map(({ name }) => name)
    .sort()
  const codes = errorCatalogue([{ errors: httpErrors }, ...plugins])
    .map(({ code, status, documentation }) => {
      return `  readonly ${code}: ${[status, ...(documentation?.otherStatuses ?? [])].join(' | ')}`
    })
    .sort()
  return `import type { ApiOf } from '#app/api-types/api-of.ts'
import type {} from '#app/plugins.ts'

// Written by \`npm run make -- types\`.

/** The API of a server, for \`createClient<Api>()\` of clients/typescript. */
export type Api<Server extends string = 'default'> = ApiOf<Folders, Server, ErrorCodes>

interface Folders {
${folders.map(folderText).join('\n')}
}

interface ErrorCodes {
${codes.join('\n')}
}
`.replace('interface Folders {\n\n}', 'type Folders = Readonly<Record<never, never>>')
}

/** Writes `resources/api.ts`. */
export function writeApiIndex(): void {
  writeFileSync(join(root, 'resources/api.ts'), apiIndex())
}

function folderText(folder: string): string {
  const directory = join(root, 'resources', folder, 'actions')
  const actions = existsSync(directory) ? readdirSync(directory).filter((file) => /^[^.]+\.ts$/.test(file)) : []
  const files = actions
    .sort()
    .map((file) => `      readonly ${quoteKey(file.slice(0, -3))}: ${importType(`${folder}/actions/${file}`)}`)
  return `  readonly ${quoteKey(folder)}: {
    readonly resource: ${importType(`${folder}/resource.ts`)}${files.length > 0 ? `\n    readonly actions: {\n${files.join('\n')}\n    }` : ''}
  }`
}

function importType(file: string): string {
  return ['typeof import', `('./${file}').default`].join('')
}

function quoteKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`
}
