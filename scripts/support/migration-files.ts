import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Discovery } from '#discovery'
import type { SchemaChange } from './schema-changes.ts'

/** Writes one file per change, with ascending numbers, and returns the paths. */
export async function writeMigrations(
  changes: readonly SchemaChange[],
  discovery: Discovery,
  name?: string,
): Promise<string[]> {
  const numbers = migrationNumbers(discovery, changes.length)
  const files = changes.map(({ folder, up, down }, index) => {
    const title = [name, folder.name].flatMap((part) => part?.match(/[a-z0-9]+/gi) ?? [])
    const file = `${numbers[index]}_${title.join('_').toLowerCase()}.ts`
    return { path: join(dirname(folder.resource), 'migrations', file), source: toSource(title, up, down) }
  })
  for (const { path, source } of files) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, source)
  }
  return files.map(({ path }) => path)
}

/** Times in UTC to the second, from now or after the latest existing migration. */
export function migrationNumbers({ folders }: Pick<Discovery, 'folders'>, count: number): number[] {
  const existing = folders.flatMap(({ migrations }) =>
    migrations.map((file) => parseMigrationTime(basename(file)) + second),
  )
  const first = Math.max(Date.now(), ...existing)
  return Array.from({ length: count }, (_, index) => {
    return Number(new Date(first + index * second).toISOString().replace(/\D/g, '').slice(0, 14))
  })
}

const second = 1000

/** The time in the name of a migration; a part that is too large counts into the next. */
function parseMigrationTime(file: string): number {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(file) ?? []
  const [year = 1970, month = 1, ...others] = parts.map(Number)
  return Date.UTC(year, month - 1, ...others)
}

/** The source of a migration. Without `down`, it throws when it is reverted. */
export function toSource(
  title: readonly string[],
  up: readonly string[],
  down: readonly string[] | null,
  extensions: readonly string[] = [],
): string {
  const className = ['change', ...title].map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join('')
  return `import { Migration } from '@mikro-orm/migrations'

export class ${className} extends Migration {
${extensions.length > 0 ? declaredExtensions(extensions) : ''}  override up(): void {
${up.map(toLine).join('\n')}
  }

  override down(): void {
${down ? down.map(toLine).join('\n') : notReverted}
  }
}
`
}

function declaredExtensions(names: readonly string[]): string {
  return `  /** Loaded by the embedded database. */
  static readonly extensions = [${names.map((name) => `'${name}'`).join(', ')}]

`
}

const notReverted = `    throw new Error('The tables existed before the first migration; they are not dropped')`

function toLine(sql: string): string {
  const isPlain = !/['\r\n\\]/.test(sql)
  const quoted = isPlain ? `'${sql}'` : `\`${sql.replace(/[\\`]|\$(?=\{)/g, '\\$&').replaceAll('\r', '\\r')}\``
  const line = `    this.addSql(${quoted})`
  return line.length <= 120 ? line : `    this.addSql(\n      ${quoted},\n    )`
}
