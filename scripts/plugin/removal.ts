import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandFiles } from '../support/command-files.ts'
import { findOrphans, type Imports, readImports } from '../support/imports.ts'
import { type CompilerError, compile, withCopy, writeChanges } from './compile.ts'
import { planEdits, recipePages } from './edits.ts'
import { findUses, pluginList } from './uses.ts'

/** The files of plugins, the files that are removed with them, and the edits of files that name them. */
export interface PluginRemoval {
  readonly gone: ReadonlySet<string>
  readonly edited: ReadonlyMap<string, string>
  /** Lines that use the plugins in files that are kept: `resources/albums/resource.ts:14: …`. */
  readonly refusals: readonly string[]
}

/**
 * Plans the removal of plugins from the project in a folder. Imports show the files that use the functions of a plugin.
 * Modifiers, keys and types that it declares have no import: a copy without the plugin is compiled to find their uses.
 */
export function planPluginRemoval(root: string, plugins: readonly string[]): PluginRemoval {
  const imports = readImports(root)
  const plan = (errors: readonly CompilerError[]) => planWithErrors(root, plugins, imports, errors)
  const first = plan([])
  if (first.refusals.length > 0) return first
  return withCopy(root, (copy) => {
    const errors: CompilerError[] = []
    let removal = first
    let former: ReadonlySet<string> | undefined
    for (let found = -1; found < errors.length && removal.refusals.length === 0; ) {
      found = errors.length
      writeChanges(copy, removal.gone, removal.edited)
      const all = compile(copy)
      if (all.length > 0) former ??= new Set(compile(root).map(toText))
      errors.push(...all.filter((error) => !former?.has(toText(error))))
      removal = plan(errors)
    }
    return removal
  })
}

function planWithErrors(
  root: string,
  plugins: readonly string[],
  imports: Imports,
  errors: readonly CompilerError[],
): PluginRemoval {
  const { gone: users, kept } = findUses({
    plugins,
    imports,
    commands: [...commandFiles(root).values()],
    broken: errors.map(({ file }) => file),
  })
  const folders = plugins.map((name) => `plugins/${name}`)
  const gone = new Set([...folders.flatMap((folder) => filesIn(root, folder)), ...users])
  for (const orphan of findOrphans(gone, imports)) gone.add(orphan)
  for (const page of recipePages(root, gone)) gone.add(page)
  const refusals = kept.flatMap((file) => [
    ...linesThatImport(root, file, plugins),
    ...errors.filter((error) => error.file === file).map(toText),
  ])
  return { gone, edited: planEdits(root, plugins, gone), refusals }
}

function toText({ file, line, message }: CompilerError): string {
  return `${file}:${line}: ${message}`
}

function filesIn(root: string, folder: string): string[] {
  return globSync(`${folder}/**/*`, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
}

function linesThatImport(root: string, file: string, plugins: readonly string[]): string[] {
  if (file === pluginList || !existsSync(join(root, file))) return []
  const lines = readFileSync(join(root, file), 'utf8').split('\n')
  return lines.flatMap((line, index) => {
    const name = plugins.find((plugin) => line.includes(`'#plugins/${plugin}/`) || line.includes(`../${plugin}/`))
    return name ? `${file}:${index + 1}: ${line.trim()}` : []
  })
}
