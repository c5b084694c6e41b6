import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from './root.ts'

/** The project files that each source imports, relative to the project. */
export type Imports = ReadonlyMap<string, readonly string[]>

const folders = ['app', 'examples', 'plugins', 'resources', 'scripts', 'test']

/** Reads the sources of a project, by default of this one. */
export function readImports(project = root): Imports {
  const { imports = {} } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  const aliases = Object.entries<string>(imports)
  const files = folders.flatMap((folder) => sourcesIn(project, folder))
  return new Map(files.map((file) => [file, importsIn(readFileSync(join(project, file), 'utf8'), file, aliases)]))
}

/** The given files and all files that import one of them, directly or indirectly. */
export function withImporters(parts: readonly string[], imports: Imports): Set<string> {
  const isPart = (file: string) => parts.some((part) => file === part || file.startsWith(`${part}/`))
  const found = new Set([...imports.keys()].filter(isPart))
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const [file, imported] of imports) if (imported.some((other) => found.has(other))) found.add(file)
  }
  return found
}

/** The helpers of tests and commands that only removed files import. */
export function findOrphans(gone: ReadonlySet<string>, imports: Imports): string[] {
  const orphans = new Set<string>()
  for (let before = -1; before < orphans.size; ) {
    before = orphans.size
    const isGone = (file: string) => gone.has(file) || orphans.has(file)
    const left = [...imports].filter(([file]) => !isGone(file)).flatMap(([, others]) => others)
    const had = [...imports].filter(([file]) => isGone(file)).flatMap(([, others]) => others)
    for (const file of had)
      if (/^(?:test\/(?!.*\.test\.ts$)|scripts\/.+\/)/.test(file) && !isGone(file) && !left.includes(file))
        orphans.add(file)
  }
  return [...orphans]
}

function sourcesIn(project: string, folder: string): string[] {
  if (!existsSync(join(project, folder))) return []
  return readdirSync(join(project, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(({ parentPath, name }) => relative(project, join(parentPath, name)))
}

function importsIn(source: string, file: string, aliases: readonly (readonly [string, string])[]): string[] {
  const statements = source.matchAll(/^(?:import|export)\b(?:[^'"`;]*?\bfrom)? ?'([.#][^']+)'/gm)
  const calls = source.matchAll(/\bimport\('([.#][^']+)'\)/g)
  return [...statements, ...calls].map(([, from = '']) => {
    return from.startsWith('.') ? join(dirname(file), from) : resolveAlias(from, aliases)
  })
}

function resolveAlias(from: string, aliases: readonly (readonly [string, string])[]): string {
  const exact = aliases.find(([alias]) => alias === from)
  if (exact) return join(exact[1])
  const [alias = '', target = ''] =
    aliases.find(([alias]) => alias.endsWith('*') && from.startsWith(alias.slice(0, -1))) ?? []
  return join(target.replace('*', from.slice(alias.length - 1)))
}
