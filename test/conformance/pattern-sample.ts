/** A text that matches common regular expressions, with other characters for each number. Look-around and references are ignored. */
export function samplePattern(source: string, n: number): string {
  const tokens = source.match(/\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]])*\]|\(\?<?[:=!]?|\{\d+(?:,\d*)?\}|./gs) ?? []
  return readAlternatives([...tokens], n)
}

/** Reads up to the closing parenthesis, and returns a text for the first alternative. */
function readAlternatives(tokens: string[], n: number): string {
  const first = readSequence(tokens, n)
  while (tokens[0] === '|') {
    tokens.shift()
    readSequence(tokens, n)
  }
  tokens.shift()
  return first
}

function readSequence(tokens: string[], n: number): string {
  let text = ''
  while (tokens.length > 0 && tokens[0] !== '|' && tokens[0] !== ')') {
    const token = tokens.shift() as string
    const part = token.startsWith('(') ? readAlternatives(tokens, n) : sampleToken(token, n)
    text += (/^\(\?<?[=!]/.test(token) ? '' : part).repeat(readCount(tokens))
  }
  return text
}

/** The fewest repetitions, but at least one. */
function readCount(tokens: string[]): number {
  const [, least] = /^(?:[*+?]|\{(\d+).*\})$/.exec(tokens[0] ?? '') ?? []
  if (least !== undefined || /^[*+?]$/.test(tokens[0] ?? '')) tokens.shift()
  if (tokens[0] === '?') tokens.shift()
  return Math.max(1, Number(least ?? 1))
}

const escapes: Readonly<Record<string, string>> = { d: '0-9', w: 'a-z', s: ' ' }
const classes: Readonly<Record<string, string>> = {
  ...escapes,
  alpha: 'a-z',
  lower: 'a-z',
  upper: 'A-Z',
  digit: '0-9',
  xdigit: '0-9',
  alnum: 'a-z',
  space: ' ',
}

function sampleToken(token: string, n: number): string {
  if (token === '^' || token === '$') return ''
  if (token === '.') return 'a'
  if (token.startsWith('[')) return sampleClass(token.slice(1, -1), n)
  if (!token.startsWith('\\')) return token
  const name = token.slice(1)
  if (/[bBmMyYAZ]/.test(name)) return ''
  return escapes[name] ? sampleClass(escapes[name], n) : name
}

function sampleClass(content: string, n: number): string {
  const items = content.replace(/\[:(\w+):\]|\\([dws])/g, (_, name, letter) => classes[name ?? letter] ?? '')
  if (items.startsWith('^')) return [...'a1A-_ '].find((character) => !items.includes(character)) ?? 'a'
  const [, first = 'a', last = first] = /^\\?(.)(?:-(.))?/s.exec(items) ?? []
  const start = first.charCodeAt(0)
  return String.fromCharCode(start + (n % (last.charCodeAt(0) - start + 1)))
}
