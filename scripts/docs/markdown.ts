import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'

/** A Markdown file of the project. */
export interface Page {
  /** Its path in the project, such as `docs/errors.md`. */
  readonly file: string
  readonly title: string
  readonly tokens: readonly Token[]
  readonly headings: readonly Heading[]
  readonly links: readonly string[]
}

export interface Heading {
  readonly depth: number
  readonly text: string
  /** The fragment of its URL, as GitHub builds it. */
  readonly anchor: string
  readonly token: Token
}

const marked = new Marked()

export function readPage(root: string, file: string): Page {
  return parsePage(file, readFileSync(join(root, file), 'utf8'))
}

export function parsePage(file: string, source: string): Page {
  const tokens = marked.lexer(source)
  const headings: Heading[] = []
  const links: string[] = []
  const anchors = new Set<string>()
  marked.walkTokens(tokens, (token) => {
    if (token.type === 'heading') headings.push(toHeading(token as Tokens.Heading, anchors))
    if (token.type === 'link' || token.type === 'image') links.push(token.href)
    if (token.type === 'html')
      for (const [, url = ''] of token.raw.matchAll(/\b(?:href|src)="([^"]*)"/g)) links.push(url)
  })
  return { file, title: headings[0]?.text ?? file, tokens, headings, links }
}

/** Returns the text of tokens without markup. */
export function withoutMarkup(tokens: readonly Token[]): string {
  return tokens.map(textOfToken).join('')
}

function textOfToken(token: Token): string {
  if (token.type === 'html' || token.type === 'space') return ' '
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table
    return [header, ...rows].map((row) => row.map((cell) => withoutMarkup(cell.tokens)).join(' ')).join(' \n')
  }
  if (token.type === 'list')
    return (token as Tokens.List).items.map((item) => `${withoutMarkup(item.tokens)} `).join('')
  if ('tokens' in token && token.tokens) return withoutMarkup(token.tokens)
  return token.type === 'br' ? ' ' : ((token as Tokens.Text).text ?? '')
}

function toHeading(token: Tokens.Heading, anchors: Set<string>): Heading {
  const text = withoutMarkup(token.tokens)
  return { depth: token.depth, text, anchor: uniqueAnchor(text, anchors), token }
}

/** Equal headings of a page get the suffixes `-1`, `-2`, … */
function uniqueAnchor(heading: string, anchors: Set<string>): string {
  const base = toAnchor(heading)
  let anchor = base
  for (let number = 1; anchors.has(anchor); number++) anchor = `${base}-${number}`
  anchors.add(anchor)
  return anchor
}

/** Keeps letters, digits, `_` and `-`, in lower case; spaces become `-`. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}
