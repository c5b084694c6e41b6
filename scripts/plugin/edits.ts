import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseExample, withoutVariables } from '../support/env-example.ts'
import { planMentions } from '../support/mentions.ts'
import { pluginList } from './uses.ts'

/** Plans the edits of files that name the plugins or the removed files. Returns the changed texts by file. */
export function planEdits(root: string, plugins: readonly string[], gone: ReadonlySet<string>): Map<string, string> {
  const edited = planMentions(root, gone)
  const edit = (file: string, change: (source: string) => string) => {
    if (!existsSync(join(root, file))) return
    const source = edited.get(file) ?? readFileSync(join(root, file), 'utf8')
    const changed = change(source)
    if (changed !== source) edited.set(file, changed)
  }
  const list = existsSync(join(root, pluginList)) ? readFileSync(join(root, pluginList), 'utf8') : ''
  for (const name of plugins) {
    edit(pluginList, (list) => withoutPlugin(list, name))
    edit('docs/features.md', (page) => withoutFeature(page, name))
  }
  edit(pluginList, (text) => withoutEmptyGroups(text, list))
  const variables = lostVariables(root, gone)
  edit('.env.example', (example) => withoutVariables(example, variables))
  edit('docs/limits.md', (page) => withoutLimits(page, variables, gone))
  const recipes = removedRecipes(gone)
  for (const page of globSync(['*.md', 'docs/*.md', 'docs/how-to/*.md'], { cwd: root })) {
    if (!gone.has(page)) edit(page, (text) => withoutRecipes(text, recipes))
  }
  return edited
}

/** The pages in docs/how-to whose tests are removed. */
export function recipePages(root: string, gone: ReadonlySet<string>): string[] {
  return removedRecipes(gone)
    .map((name) => `docs/how-to/${name}.md`)
    .filter((page) => existsSync(join(root, page)))
}

/** Removes the import of a plugin from the list, and the calls of its function: also over several lines, also in comments. */
export function withoutPlugin(list: string, name: string): string {
  const statement = new RegExp(`^(?:// ?)?import \\{ ([^}]+) \\} from '#plugins/${name}/[^']+'\\n`, 'm')
  const [, imported = ''] = statement.exec(list) ?? []
  const names = imported.split(',').map((word) => word.trim().replace(/^\w+ as /, ''))
  return names.filter(Boolean).reduce(
    (source, word) => {
      const call = new RegExp(`^ {2}(?:// ?)?${word}\\((?:.*\\),?|.*\\n(?: {4}.*\\n)* {2}.*\\),?)(?: *//.*)?\\n`, 'm')
      return source.replace(call, '')
    },
    list.replace(statement, ''),
  )
}

/** Removes the titles of groups that had plugins before and have none now. */
export function withoutEmptyGroups(list: string, before: string): string {
  const emptyGroup = /(?<=\[\n|\n\n)(?: {2}\/\/ (?!\w+\().*\n)+(?=\n|\])/g
  const emptyBefore = new Set(before.match(emptyGroup))
  const left = list.replace(emptyGroup, (title) => (emptyBefore.has(title) ? title : ''))
  return left === list ? list : left.replace(/\n{3,}/g, '\n\n').replace(/(?<=\[)\n{2,}|\n{2,}(?=\]\n)/g, '\n')
}

/** Removes the row of a plugin, or its entry of the list of optional plugins. */
function withoutFeature(page: string, name: string): string {
  return page
    .replace(new RegExp(`^\\| \`${name}\` \\|.*\\n`, 'm'), '')
    .replace(new RegExp(`^- \\[?\`${name}\`.*\\n(?: {2}.*\\n)*`, 'm'), '')
}

/** Removes the rows of limits that a removed variable or a constant of a removed file sets. */
export function withoutLimits(page: string, variables: readonly string[], gone: ReadonlySet<string>): string {
  return page.replace(/^\|[^|]*\|[^|]*\| `([^`]+)`.*\n/gm, (row, setBy: string) => {
    return variables.includes(setBy) || gone.has(setBy) ? '' : row
  })
}

/** The variables of .env.example that only removed sources of the application name. */
function lostVariables(root: string, gone: ReadonlySet<string>): string[] {
  const example = existsSync(join(root, '.env.example')) ? readFileSync(join(root, '.env.example'), 'utf8') : ''
  const variables = Object.keys(parseExample(example))
  const sources = globSync('{app,plugins,resources}/**/*.ts', { cwd: root }).filter((f) => !/\.test\.ts$/.test(f))
  const wordsIn = (files: readonly string[]) =>
    new Set(files.flatMap((file) => readFileSync(join(root, file), 'utf8').match(/\b[A-Z][A-Z\d_]+\b/g) ?? []))
  const removed = wordsIn(sources.filter((file) => gone.has(file)))
  const left = wordsIn(sources.filter((file) => !gone.has(file)))
  return variables.filter((name) => removed.has(name) && !left.has(name))
}

function removedRecipes(gone: ReadonlySet<string>): string[] {
  const names = [...gone].flatMap((file) => /^test\/template\/how-to\/([^/]+)\/\1\.test\.ts$/.exec(file)?.[1] ?? [])
  return [...new Set(names)]
}

/** Removes the lines of the index that list removed recipes, and replaces other links to them by their text. */
function withoutRecipes(text: string, recipes: readonly string[]): string {
  return recipes.reduce((page, name) => {
    const link = `\\[([^\\]]+)\\]\\((?:docs/)?(?:how-to/)?${name}\\.md(?:#[^)]*)?\\)`
    return page.replace(new RegExp(`^(?:\\||[-*]) *${link}.*\\n`, 'gm'), '').replace(new RegExp(link, 'g'), '$1')
  }, text)
}
