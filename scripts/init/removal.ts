import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Choice } from '../manifest/manifest.ts'
import { recipePages } from '../plugin/edits.ts'
import { findUses } from '../plugin/uses.ts'
import { commandFiles } from '../support/command-files.ts'
import { findOrphans, type Imports, readImports, withImporters } from '../support/imports.ts'
import { planEdits } from './edits.ts'
import { demoParts, maintainersParts, pagesOfPlugins, templateParts } from './parts.ts'
import { shippedPlugins } from './plugins.ts'

// Imports no package, because npm run update runs it for versions whose packages are not installed.

export interface Removal {
  readonly gone: ReadonlySet<string>
  /** The new texts of changed files. */
  readonly edited: ReadonlyMap<string, string>
  /** Files of the project that import removed ones. */
  readonly faults: readonly string[]
}

/** Plans what makes a project of the template in a folder. */
export function planRemoval(root: string, choice: Choice): Removal {
  const imports = new Map(readImports(root))
  for (const file of written) imports.set(file, [])
  const files = filesIn(root)
  const lost = choice.plugins ? shippedPlugins(root).filter((name) => !choice.plugins?.includes(name)) : []
  const parts = [
    ...(choice.pages ? [] : templateParts),
    ...(choice.demo ? [] : demoParts),
    ...(choice.tests ? [] : maintainersParts),
    ...lost.flatMap((name) => [`plugins/${name}`, pagesOfPlugins[name] ?? []].flat()),
    ...(choice.plugins && !choice.plugins.includes('client-types') ? ['clients'] : []),
  ]
  const gone = new Set(files.filter((file) => parts.some((part) => file === part || file.startsWith(`${part}/`))))
  if (!choice.tests) for (const file of files.filter(isTestOfPlugin)) gone.add(file)
  const commands = [...commandFiles(root).values()]
  const uses = findUses({ plugins: lost, imports, commands: commands.filter((file) => !gone.has(file)) })
  for (const file of uses.gone) gone.add(file)
  for (const page of recipePages(root, uses.gone)) gone.add(page)
  const direct = new Set(gone)
  for (const file of withImporters([...gone], imports))
    if (isTest(file) || isCommand(file) || isOfMaintainers(file)) gone.add(file)
  for (const orphan of findOrphans(gone, imports)) gone.add(orphan)
  return {
    gone,
    edited: planEdits(root, { choice, gone, plugins: lost, files }),
    faults: findFaults(imports, gone, direct),
  }
}

/** Files whose imports of removed files are removed, too: the list of plugins, and the types of all resources. */
const written = ['app/plugins.ts', 'resources/api.ts']

/** Tests that shipped plugins have beside their sources. The plugins of a project are made after `npm run init`. */
function isTestOfPlugin(file: string): boolean {
  return /^plugins\/[^/]+\/(?:.*\.test\.ts|test\/.*)$/.test(file)
}

function isTest(file: string): boolean {
  return /\.test\.ts$/.test(file)
}

function isOfMaintainers(file: string): boolean {
  return maintainersParts.some((part) => file.startsWith(`${part}/`))
}

function isCommand(file: string): boolean {
  return /^scripts\/[^/]+\.ts$/.test(file)
}

function findFaults(imports: Imports, gone: ReadonlySet<string>, direct: ReadonlySet<string>): string[] {
  return [...imports].flatMap(([file, imported]) => {
    if (gone.has(file)) return []
    return imported.filter((other) => direct.has(other) || gone.has(other)).map((other) => `${file} imports ${other}`)
  })
}

/** The files of a project, without packages, data and what commands write. */
export function filesIn(root: string): string[] {
  const isOutput = (path: string) =>
    /^(?:node_modules|\.git|\.data|\.warm|\.site|coverage)(?:\/|$)|\/node_modules(?:\/|$)/.test(path)
  const walk = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = relative(root, join(root, folder, entry.name))
      if (isOutput(path)) return []
      return entry.isDirectory() ? walk(path) : [path]
    })
  return walk('')
}
