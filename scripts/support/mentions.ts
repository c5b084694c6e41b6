import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'

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
  const commands = lostCommands(root, read('package.json'), gone)
  const edit = (file: string, change: (source: string) => string) => {
    if (!existsSync(join(root, file)) || gone.has(file)) return
    const source = edited.get(file) ?? read(file)
    const changed = change(source)
    if (changed !== source) edited.set(file, changed)
  }
  edit('package.json', (manifest) => (commands.length > 0 ? withoutCommands(manifest, commands) : manifest))
  edit('docs/commands.md', (page) => withoutRows(page, commands))
  edit('.ci/run', (script) => withoutRuns(script, commands, gone))
  for (const guide of globSync(['docs/*.md', 'docs/how-to/*.md'], { cwd: root })) {
    edit(guide, (text) => withoutTests(withoutSources(withoutExamples(text, commands), gone), gone))
  }
  return edited
}

/** The npm scripts whose files are removed; for a pattern, if all of its files are. */
function lostCommands(root: string, manifest: string, gone: ReadonlySet<string>): string[] {
  const isLost = (word: string) =>
    gone.has(word) || [...gone].some((file) => word.includes('*') && matchesGlob(file, word))
  const isLeft = (word: string) => word.includes('*') && globSync(word, { cwd: root }).some((file) => !gone.has(file))
  const words = (command: string) => command.split(' ').map((word) => word.replace(/['"]/g, ''))
  const commands = Object.entries<string>(JSON.parse(manifest).scripts)
  return commands.flatMap(([name, command]) =>
    words(command).some((word) => isLost(word) && !isLeft(word)) ? name : [],
  )
}

function withoutCommands(manifest: string, commands: readonly string[]): string {
  const { scripts } = JSON.parse(manifest)
  const kept = Object.entries(scripts).filter(([name]) => !commands.includes(name))
  return `${JSON.stringify({ ...JSON.parse(manifest), scripts: Object.fromEntries(kept) }, null, 2)}\n`
}

/** Removes table rows that describe only these commands. */
function withoutRows(page: string, commands: readonly string[]): string {
  const isLost = (row: string) => {
    const named = [...(row.split('|')[1] ?? '').matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name as string)
    return row.startsWith('|') && named.length > 0 && named.every((name) => commands.includes(name))
  }
  return page
    .split('\n')
    .filter((line) => !isLost(line))
    .join('\n')
}

/** Removes the browser dependency, which only a removed command uses. */
function withoutRuns(script: string, commands: readonly string[], gone: ReadonlySet<string>): string {
  const isLost = (line: string) => commands.some((name) => `${line} `.startsWith(`npm run ${name} `))
  const isLeft = (word: string) => !gone.has(word) && !(word === 'chromium' && commands.includes('test:browser'))
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
