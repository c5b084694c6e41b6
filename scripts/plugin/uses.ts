import { type Imports, withImporters } from '../support/imports.ts'

/** The effect of the removal of plugins on the files outside of their folders. */
export interface Uses {
  /** Tests, test helpers and commands that are removed with the plugins. */
  readonly gone: ReadonlySet<string>
  /** Files that use the plugins and are kept: the removal is refused. */
  readonly kept: readonly string[]
}

interface UsesOptions {
  readonly plugins: readonly string[]
  readonly imports: Imports
  /** The files that npm scripts run. */
  readonly commands: readonly string[]
  /** Files with compiler errors after the removal: they use modifiers, keys or types of the plugins. */
  readonly broken?: readonly string[]
}

/** The list of plugins, whose lines are removed. */
export const pluginList = 'app/plugins.ts'

/** Splits the files that use plugins into those that are removed with them and those that are kept. */
export function findUses({ plugins, imports, commands, broken = [] }: UsesOptions): Uses {
  const folders = plugins.map((name) => `plugins/${name}/`)
  const isInPlugin = (file: string) => folders.some((folder) => file.startsWith(folder))
  const importers = [...imports].flatMap(([file, imported]) => (imported.some(isInPlugin) ? file : []))
  const users = new Set([...importers.filter((file) => file !== pluginList), ...broken].filter((f) => !isInPlugin(f)))
  const gone = new Set<string>()
  const kept: string[] = []
  for (const file of users) {
    const lost = [...withImporters(partsWith(file), imports)].filter((other) => !isInPlugin(other))
    if (isRemovable(file, lost, commands)) for (const other of lost) gone.add(other)
    else kept.push(file)
  }
  return { gone, kept: kept.sort() }
}

/** Tests, commands and examples that start the service are removed. A helper is removed with its tests, unless another plugin or a command uses it. */
function isRemovable(file: string, lost: readonly string[], commands: readonly string[]): boolean {
  if (/\.test\.ts$/.test(file) || /^scripts\/[^/]+$/.test(file) || example.test(file)) return true
  return file.startsWith('test/') && lost.every((other) => other.startsWith('test/') && !commands.includes(other))
}

const example = /^examples\/[^/]+(?=\/serve\.ts$)/

/** A recipe does not import its resources, and an example not its page: the folder is removed as a whole. */
function partsWith(file: string): string[] {
  const [folder] = /^test\/template\/how-to\/[^/]+(?=\/)/.exec(file) ?? example.exec(file) ?? []
  return folder ? [file, folder] : [file]
}
