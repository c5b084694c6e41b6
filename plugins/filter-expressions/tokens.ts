/** A part of an expression: a word is a name, a number, `true` or `false`. */
export interface Token {
  readonly kind: 'word' | 'text' | '(' | ')' | ',' | 'end' | 'open text'
  /** The value of a text; the characters of a word. */
  readonly text: string
  /** The index of its first character. */
  readonly at: number
}

const tokenPattern = /\s*(?:'((?:[^']|'')*)('?)|([(),])|([^\s(),']+))/y

/** Splits an expression. The last token is `end`, or `open text` if the closing quote of a text is missing. */
export function readTokens(source: string): readonly Token[] {
  const tokens: Token[] = []
  tokenPattern.lastIndex = 0
  for (let match = tokenPattern.exec(source); match; match = tokenPattern.exec(source)) {
    const [whole, text, closing, mark, word] = match
    const at = match.index + (whole.length - whole.trimStart().length)
    if (text !== undefined) tokens.push({ kind: closing ? 'text' : 'open text', text: text.replaceAll("''", "'"), at })
    else if (mark) tokens.push({ kind: mark as ',', text: mark, at })
    else tokens.push({ kind: 'word', text: word as string, at })
  }
  return [...tokens, { kind: 'end', text: '', at: source.length }]
}
