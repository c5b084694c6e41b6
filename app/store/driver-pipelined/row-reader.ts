export type Row = Record<string, unknown>
export type Parse = (text: string) => unknown

/** Makes a row of the columns that stand between two places. */
export type ReadRow = (bytes: Buffer, start: number, end: number) => Row

export interface Field {
  readonly name: string
  readonly dataTypeID: number
}

type CreateReader = (
  parsers: readonly Parse[],
  take: typeof takeRow,
  size: typeof sizeAt,
  text: typeof textBetween,
) => ReadRow

const creators = new Map<string, CreateReader>()

/** One literal for all rows, so that they are of one shape. */
export function readerOf(fields: readonly Field[], parserOf: (type: number) => Parse): ReadRow {
  const parsers = fields.map(({ dataTypeID: type }) => (listTypes.has(type) ? textsIn(parserOf(type)) : parserOf(type)))
  const asItIs = parserOf(textType)
  const steps = parsers.map((parse, index) => {
    const text = 'textBetween(bytes, from, at, row, start)'
    return `size = sizeAt(bytes, at); from = at + 4; at = size < 0 ? from : from + size
      const v${index} = size < 0 ? null : ${parse === asItIs ? text : `parsers[${index}](${text})`}`
  })
  const members = fields.map(({ name }, index) => `${JSON.stringify(name)}: v${index}`)
  const text = `return (bytes, start, end) => {
    const row = takeRow(bytes, start, end)
    let at = start, from = 0, size = 0
    ${steps.join('\n')}
    return { ${members.join(', ')} }
  }`
  let create = creators.get(text)
  if (!create) {
    create = new Function('parsers', 'takeRow', 'sizeAt', 'textBetween', text) as CreateReader
    creators.set(text, create)
  }
  return create(parsers, takeRow, sizeAt, textBetween)
}

const textType = 25
/** Lists of text, varchar. */
const listTypes: ReadonlySet<number> = new Set([1009, 1015])

/** `{rock,jazz}`; what is in quotes, nested or null is left to the parser. */
function textsIn(parse: Parse): Parse {
  return (text) => {
    if (/["\\{}]|NULL/.test(text.slice(1, -1))) return parse(text)
    return text === '{}' ? [] : text.slice(1, -1).split(',')
  }
}
/** Bytes up to which a row is taken as a whole. */
const shortRow = 2000

/**
 * The row as one text, out of which those of its columns are cut: that costs less than to decode each of them. Nothing
 * when there is more in it than ASCII; sizes are no text, but only that of null, and of long columns, looks like more.
 */
function takeRow(bytes: Buffer, start: number, end: number): string {
  if (end - start > shortRow) return ''
  const row = bytes.toString('latin1', start, end)
  const others = Buffer.byteLength(row) - row.length
  return others === 4 * countNulls(bytes, start, end) ? row : ''
}

function countNulls(bytes: Buffer, start: number, end: number): number {
  let count = 0
  for (let at = start; at < end; ) {
    const size = sizeAt(bytes, at)
    if (size < 0) count++
    at += size < 0 ? 4 : 4 + size
  }
  return count
}

function textBetween(bytes: Buffer, from: number, to: number, row: string, start: number): string {
  return row === '' ? bytes.toString('utf8', from, to) : row.slice(from - start, to - start)
}

/** How many bytes follow; less than nothing is null. */
function sizeAt(bytes: Buffer, at: number): number {
  return (
    ((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)
  )
}
