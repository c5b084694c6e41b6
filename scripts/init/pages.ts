import { dirname, join } from 'node:path'

/** What pages must not name: removed files, by path, and removed commands, as `template -- bench`. */
export interface Removed {
  isGone(path: string): boolean
  readonly commands: readonly string[]
}

/**
 * Returns a page without what names removed files and commands: rows of tables, entries of lists, sentences, examples, and links,
 * whose text is kept in headings.
 */
export function withoutRemoved(page: string, file: string, removed: Removed): string {
  const isNamed = (text: string) => namesRemoved(text, file, removed)
  const blocks = page.split(/(^ *```[\s\S]*?^ *```\n?)/m)
  const kept = blocks.map((block) => (/^ *```/.test(block) ? cleanExample(block, isNamed) : cleanText(block, isNamed)))
  return withoutEmptySections(kept.join(''))
}

/** Whether a text links to a removed file, names its path, or shows a removed command. */
function namesRemoved(text: string, file: string, { isGone, commands }: Removed): boolean {
  const links = [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, target = '']) => target)
  if (links.some((target) => !/^\w+:/.test(target) && isGone(join(dirname(file), target)))) return true
  const paths = [...text.matchAll(/(?:`|<!-- (?:part of )?)([\w.-]+\/[\w./<>*{}-]+|[A-Z]+\.md)/g)].map(
    ([, path = '']) => path,
  )
  if (paths.some((path) => isGone(path.replace(/\/$/, '')))) return true
  return commands.some((name) => new RegExp(`npm run ${name}(?![\\w-])`).test(text))
}

function cleanExample(block: string, isNamed: (text: string) => boolean): string {
  if (!/^ *```sh/.test(block)) return block
  const lines = block.split('\n').filter((line) => !isNamed(line))
  return lines.filter((line) => line.trim() !== '' && !line.trim().startsWith('```')).length > 0 ? lines.join('\n') : ''
}

function cleanText(text: string, isNamed: (text: string) => boolean): string {
  const unmarked = text.replace(/^ *<!-- (?:part of )?\S+ -->\n/gm, (mark) => (isNamed(mark) ? '' : mark))
  return unmarked
    .split(/(\n{2,})/)
    .map((paragraph) => {
      if (!isNamed(paragraph)) return paragraph
      if (/^\n*\|/.test(paragraph)) return cleanTable(paragraph, isNamed)
      if (/^ *(?:[-*]|\d+\.) /m.test(paragraph)) return cleanList(paragraph, isNamed)
      return cleanSentences(paragraph, isNamed)
    })
    .join('')
    .replace(/\n{3,}/g, '\n\n')
}

/** Removes from each cell the code and the parts that name something removed; a row without a first cell or any other is dropped. */
function cleanTable(table: string, isNamed: (text: string) => boolean): string {
  const rows = table.split('\n').flatMap((row) => {
    if (!isNamed(row)) return row
    const cells = row
      .split('|')
      .slice(1, -1)
      .map((cell) => cleanCell(cell, isNamed))
    const isEmpty = cells[0]?.trim() === '' || cells.slice(1).every((cell) => cell.trim() === '')
    return isEmpty ? [] : `|${cells.join('|')}|`
  })
  return rows.join('\n')
}

function cleanCell(cell: string, isNamed: (text: string) => boolean): string {
  if (!isNamed(cell)) return cell
  for (const separator of ['; ', ', ', '. ']) {
    const parts = cell.trim().split(separator)
    const kept = parts.filter((part) => !isNamed(part))
    if (kept.length > 0) return ` ${kept.join(separator)} `
  }
  return ' '
}

function cleanList(list: string, isNamed: (text: string) => boolean): string {
  const entries = list.split(/^(?= *(?:[-*]|\d+\.) )/m)
  return entries
    .flatMap((entry) => {
      if (!isNamed(entry)) return entry
      const [, mark = '', text = ''] = /^( *(?:[-*]|\d+\.) )?([\s\S]*)$/.exec(entry) ?? []
      const kept = cleanSentences(text, isNamed)
      return kept.trim() === '' ? [] : `${mark}${kept.replace(/\n*$/, '\n')}`
    })
    .join('')
}

function cleanSentences(text: string, isNamed: (text: string) => boolean): string {
  const withoutAsides = text.replace(/\s*\((?:\[[^\]]+\]\([^)]+\)|[^()]|\[[^\]]*\])*\)/g, (aside) =>
    !aside.startsWith('](') && isNamed(aside) && /^\s/.test(aside) ? '' : aside,
  )
  if (!isNamed(withoutAsides)) return withoutAsides
  if (withoutAsides.startsWith('#')) return withoutAsides.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
  const sentences = withoutAsides.split(/(?<=[.:]\)?)\s+(?=[A-Z`[(])/)
  return sentences.filter((sentence) => !isNamed(sentence)).join(' ')
}

/** Removes headings that are followed by no text of their own. */
function withoutEmptySections(page: string): string {
  const lines = page.split('\n')
  const kept = lines.filter((line, index) => {
    const level = /^(#{2,6}) /.exec(line)?.[1]?.length
    if (level === undefined || isInCode(lines, index)) return true
    const next = lines.slice(index + 1).find((other) => other.trim() !== '')
    return next !== undefined && (/^#{1,6} /.exec(next)?.[0].length ?? 99) - 1 > level
  })
  return `${kept
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`
}

function isInCode(lines: readonly string[], index: number): boolean {
  return lines.slice(0, index).filter((line) => /^ *```/.test(line)).length % 2 === 1
}
