import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandFiles } from './command-files.ts'

type Read = (file: string) => string

/**
 * Plans the edits of files that name removed files: npm scripts, their rows in docs/commands.md, .ci/run, examples of these
 * scripts and sources of other examples in guides, and tests in tables of guides. Returns the changed texts by file.
 */
export function planMentions(
  root: string,
  gone: ReadonlySet<string>,
  read: Read = (file) => readFileSync(join(root, file), 'utf8'),
): Map<string, string> {
  const edited = new Map<string, string>()
  const commands = [...commandFiles(root)].flatMap(([name, file]) => (gone.has(file) ? name : []))
  const scripts = lostScripts(root, commands)
  const edit = (file: string, change: (source: string) => string) => {
    if (!existsSync(join(root, file)) || gone.has(file)) return
    const source = edited.get(file) ?? read(file)
    const changed = change(source)
    if (changed !== source) edited.set(file, changed)
  }
  edit('package.json', (manifest) => (scripts.length > 0 ? withoutScripts(manifest, scripts) : manifest))
  edit('docs/commands.md', (page) => withoutRows(page, commands))
  edit('.ci/run', (script) => withoutRuns(script, commands, gone))
  for (const guide of globSync(['docs/*.md', 'docs/how-to/*.md'], { cwd: root })) {
    edit(guide, (text) => withoutTests(withoutSources(withoutExamples(text, commands), gone), gone))
  }
  return edited
}

/** The npm scripts of which no command is left. */
function lostScripts(root: string, lost: readonly string[]): string[] {
  const nameOf = (command: string) => command.split(' ', 1)[0] as string
  const left = new Set([...commandFiles(root).keys()].filter((command) => !lost.includes(command)).map(nameOf))
  return [...new Set(lost.map(nameOf))].filter((name) => !left.has(name))
}

function withoutScripts(manifest: string, names: readonly string[]): string {
  const { scripts } = JSON.parse(manifest)
  const kept = Object.entries(scripts).filter(([name]) => !names.includes(name))
  return `${JSON.stringify({ ...JSON.parse(manifest), scripts: Object.fromEntries(kept) }, null, 2)}\n`
}

/** Removes table rows that describe only these commands. */
function withoutRows(page: string, commands: readonly string[]): string {
  const isLost = (row: string) => {
    const named = [...(row.split('|')[1] ?? '').matchAll(/npm run ([^`]+)/g)].map(([, text]) => `${text} `)
    const isOfCommand = (text: string) => commands.some((name) => text.startsWith(`${name} `))
    return row.startsWith('|') && named.length > 0 && named.every(isOfCommand)
  }
  return page
    .split('\n')
    .filter((line) => !isLost(line))
    .join('\n')
}

/** Removes the browser dependency, which only a removed command uses. */
function withoutRuns(script: string, commands: readonly string[], gone: ReadonlySet<string>): string {
  const isLost = (line: string) => commands.some((name) => `${line} `.startsWith(`npm run ${name} `))
  const isLeft = (word: string) =>
    !gone.has(word) && !(word === 'chromium' && gone.has('test/template/browser/pages.test.ts'))
  const lines = script.split('\n').filter((line) => !isLost(line))
  return lines.map((line) => line.split(' ').filter(isLeft).join(' ')).join('\n')
}

/** Removes these commands from the shell examples of a guide, and examples without any other line. */
function withoutExamples(guide: string, commands: readonly string[]): string {
  if (commands.length === 0) return guide
  const command = new RegExp(`^npm run (?:${commands.join('|')})(?: .*)?\\n`, 'gm')
  return guide.replace(/^```sh\n((?:(?!```).*\n)*)```\n\n?/gm, (example, lines: string) => {
    const kept = lines.replace(command, '')
    return kept === '' ? '' : example.replace(lines, () => kept)
  })
}

/** Keeps examples of guides from removed files, without the name of the file. */
function withoutSources(guide: string, gone: ReadonlySet<string>): string {
  return guide.replace(/^ *<!-- (?:part of )?(\S+) -->\n/gm, (mark, file: string) => (gone.has(file) ? '' : mark))
}

/** Removes the names of removed tests from the last column of tables. */
function withoutTests(guide: string, gone: ReadonlySet<string>): string {
  return guide.replace(/^\|.*\.test\.ts.*$/gm, (row) => {
    const kept = row.replace(/`([^`\s]+\.test\.ts)`(?:, )?/g, (mark, file: string) => (gone.has(file) ? '' : mark))
    return kept.replace(/,? +\|$/, ' |')
  })
}
