import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Choice } from '../manifest/manifest.ts'
import { planEdits as planPluginEdits } from '../plugin/edits.ts'
import { commandFiles } from '../support/command-files.ts'
import { withoutUnusedPackages } from './packages.ts'
import { withoutRemoved } from './pages.ts'

interface EditOptions {
  readonly choice: Choice
  readonly gone: ReadonlySet<string>
  /** The removed plugins. */
  readonly plugins: readonly string[]
  /** All files of the project. */
  readonly files: readonly string[]
}

/** The npm scripts that only the template has. */
const templateScripts = ['init', 'example', 'template']

/** Lines of configuration files that name only maintainers' files. */
const settings: readonly (readonly [file: string, passage: RegExp, instead: string])[] = [
  ['biome.json', /,\n *"!test\/template\/[^"]*"/g, ''],
  ['tsconfig.json', /,\n {2}"exclude": \[\n(?: {4}"test\/template\/[^\n]*\n)+ {2}\]/, ''],
  ['.gitignore', /^test\/template\/.*\n/gm, ''],
  ['.mocharc.cjs', /\/\/ What maintainers[^\n]*\n[^\n]*\n\n/, ''],
  ['.mocharc.cjs', / {6}'test\/template\/[^\n]*\n/, ''],
  ['.mocharc.cjs', /\.\.\.\(existsSync\(template\) \? \[template\] : \[\]\), /, ''],
  ['.mocharc.cjs', /existsSync, /, ''],
]

/** Plans the edits of files that name removed ones. Returns the changed texts by file. */
export function planEdits(root: string, { choice, gone, plugins, files }: EditOptions): Map<string, string> {
  const edited = new Map(planPluginEdits(root, plugins, withoutRecipes(gone)))
  const read = (file: string) => edited.get(file) ?? readFileSync(join(root, file), 'utf8')
  const edit = (file: string, change: (text: string) => string) => {
    if (gone.has(file) || !existsSync(join(root, file))) return
    const text = read(file)
    const changed = change(text)
    if (changed !== text) edited.set(file, changed)
  }
  const isGone = (path: string) => isRemoved(path, files, gone)
  const commands = lostCommands(root, choice, gone)
  for (const page of files.filter((file) => file.endsWith('.md') && !gone.has(file))) {
    edit(page, (text) => withoutRemoved(text, page, { isGone, commands }))
  }
  edit('package.json', (text) => editManifest(text, root, choice, gone))
  if (!choice.tests)
    for (const [file, passage, instead] of settings) edit(file, (text) => text.replace(passage, instead))
  if (!choice.tests) edit('.ci/run', () => ciScript)
  edit('app/plugins.ts', (text) => (choice.plugins ?? []).reduce(enablePlugin, text))
  // docs/configuration.md is written from it.
  if (choice.plugins) edit('.env.example', (text) => text.replaceAll(' (not enabled by default)', ''))
  if (!choice.demo) edit('app/plugins.ts', (text) => text.replace(/\n {4}tags: \[\n(?: {6}.*\n)+ {4}\],/, ''))
  return edited
}

/** Uncomments the import and the calls of an optional plugin, which may span several lines. */
export function enablePlugin(list: string, name: string): string {
  const statement = new RegExp(`^// (import \\{ ([^}]+) \\} from '#plugins/${name}/)`, 'm')
  const [, , imported = ''] = statement.exec(list) ?? []
  const names = imported
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
  return names.reduce(
    (text, word) => text.replace(commentedCall(word), (call) => call.replace(/^ {2}\/\/ /gm, '  ')),
    list.replace(statement, '$1'),
  )
}

/** The lines of a call in a comment: one line, or the lines up to the first that closes the call without indentation. */
function commentedCall(word: string): RegExp {
  return new RegExp(`^ {2}// ${word}\\((?:.*\\),?(?: *//.*)?$|.*\\n(?: {2}// {2,}.*\\n)* {2}// \\S.*)`, 'm')
}

/** The recipes stay without their tests. */
function withoutRecipes(gone: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...gone].filter((file) => !file.startsWith('test/template/how-to/')))
}

/** A path or a glob of which no file is left; false for a path that the project never had. */
function isRemoved(path: string, files: readonly string[], gone: ReadonlySet<string>): boolean {
  const [start = ''] = path.split(/[*{<]/)
  const named =
    path === start
      ? files.filter((file) => file === path || file.startsWith(`${path}/`))
      : files.filter((file) => start !== '' && file.startsWith(start))
  return named.length > 0 && named.every((file) => gone.has(file))
}

function lostCommands(root: string, choice: Choice, gone: ReadonlySet<string>): string[] {
  const lost = [...commandFiles(root)].flatMap(([name, file]) => (gone.has(file) ? name : []))
  return [...lost, ...lostScripts(choice)]
}

function lostScripts({ tests, pages }: Choice): string[] {
  return templateScripts.filter((name) => !pages && (name !== 'template' || !tests))
}

/** The client whose sources are removed is imported as a built module. */
const builtModules: Readonly<Record<string, string>> = {
  './clients/typescript/src/index.ts': './clients/typescript/dist/index.js',
}

function editManifest(text: string, root: string, choice: Choice, gone: ReadonlySet<string>): string {
  const manifest = JSON.parse(text)
  const lost = lostScripts(choice)
  const isGone = (target: string) => gone.has(target.replace(/^\.\//, ''))
  const imports = Object.entries<string>(manifest.imports)
    .map(([name, target]) => [name, isGone(target) ? (builtModules[target] ?? target) : target] as const)
    .filter(([, target]) => !isGone(target))
  const scripts = Object.entries(manifest.scripts).filter(([name]) => !lost.includes(name))
  const edited = { ...manifest, imports: Object.fromEntries(imports), scripts: Object.fromEntries(scripts) }
  return `${JSON.stringify(withoutUnusedPackages(edited, root, gone), null, 2)}\n`
}

const ciScript = `#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")/.."

npm ci
npm run check
npm test
npm run openapi -- diff
`
