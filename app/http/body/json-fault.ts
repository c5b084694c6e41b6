interface JsonFault {
  /** Both count from 1. */
  readonly line: number
  readonly column: number
  /** The text ends before the value is complete. */
  readonly atEnd: boolean
}

/** Finds the first character that makes a text invalid JSON. Returns null if the text is valid. */
export function findJsonFault(text: string): JsonFault | null {
  const offset = invalidOffset(text)
  if (offset === null) return null
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - lineStart + 1, atEnd: offset >= text.length }
}

type Expected = 'value' | 'first item' | 'first key' | 'key' | 'colon' | 'separator'

/** Reads tokens with a stack of open brackets instead of recursion, so that deep nesting cannot exhaust the call stack. */
function invalidOffset(text: string): number | null {
  const brackets: ('{' | '[')[] = []
  let expected: Expected = 'value'
  for (let offset = skipSpace(text, 0); ; offset = skipSpace(text, offset)) {
    const character = text[offset]
    if (expected === 'separator' && brackets.length === 0) return character === undefined ? null : offset
    const open = brackets.at(-1)
    const isClosing = character === (open === '{' ? '}' : ']')
    if (isClosing && (expected === 'separator' || expected === 'first key' || expected === 'first item')) {
      brackets.pop()
      expected = 'separator'
    } else if (expected === 'separator') {
      if (character !== ',') return offset
      expected = open === '{' ? 'key' : 'value'
    } else if (expected === 'colon') {
      if (character !== ':') return offset
      expected = 'value'
    } else if (expected === 'key' || expected === 'first key') {
      const end = character === '"' ? endOfString(text, offset) : { invalid: offset }
      if ('invalid' in end) return end.invalid
      offset = end.next - 1
      expected = 'colon'
    } else if (character === '{' || character === '[') {
      brackets.push(character)
      expected = character === '{' ? 'first key' : 'first item'
    } else {
      const end = character === '"' ? endOfString(text, offset) : endOfScalar(text, offset)
      if ('invalid' in end) return end.invalid
      offset = end.next - 1
      expected = 'separator'
    }
    offset++
  }
}

type End = { readonly next: number } | { readonly invalid: number }

function skipSpace(text: string, from: number): number {
  let offset = from
  while (' \t\n\r'.includes(text[offset] ?? 'x')) offset++
  return offset
}

const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

function endOfString(text: string, start: number): End {
  for (let offset = start + 1; offset < text.length; offset++) {
    const character = text[offset] as string
    if (character === '"') return { next: offset + 1 }
    if (character < ' ') return { invalid: offset }
    if (character !== '\\') continue
    escapeSequence.lastIndex = offset
    if (!escapeSequence.test(text)) return { invalid: offset }
    offset = escapeSequence.lastIndex - 1
  }
  return { invalid: text.length }
}

const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

function endOfScalar(text: string, offset: number): End {
  scalar.lastIndex = offset
  return scalar.test(text) ? { next: scalar.lastIndex } : { invalid: offset }
}
