import { readFileSync } from 'node:fs'
import { mutantKey } from './mutant.ts'

export const explainedFile = 'docs/internals/mutants.md'

export interface Explanation {
  readonly file: string
  readonly name: string
  readonly before: string
  readonly after: string
  readonly reason: string
}

/** Reads the rows of the table: file, function, code, mutation, reason. */
export function readExplanations(text = readFileSync(explainedFile, 'utf8')): ReadonlyMap<string, Explanation> {
  const explanations = text
    .split('\n')
    .filter((line) => /^\| `[^`]+\.ts` \|/.test(line))
    .map((line) => {
      const [, file = '', name = '', before = '', after = '', reason = ''] = line.split(/(?<!\\)\|/).map(cellText)
      return { file, name, before, after, reason }
    })
  return new Map(explanations.map((explanation) => [mutantKey(explanation), explanation]))
}

/** Returns a row of the table, for a mutant that survives. */
export function formatRow({ file, name, before, after, reason }: Explanation): string {
  const cells = [file, name, before, after].map((text) => (text === '' ? '' : codeSpan(text)))
  return `| ${[...cells, reason].join(' | ')} |`
}

/** Code with a grave accent needs a longer fence; a vertical bar is escaped within a table. */
function codeSpan(text: string): string {
  const fenced = text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
  return fenced.replaceAll('|', '\\|')
}

function cellText(cell: string): string {
  const text = cell.trim().replaceAll('\\|', '|')
  const [, fenced] = /^`` (.*) ``$/.exec(text) ?? []
  const [, code] = /^`(.*)`$/.exec(text) ?? []
  return fenced ?? code ?? text
}
