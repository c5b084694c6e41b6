import type { Attribute } from './definition.ts'
import { sortHash, writeSortedHash } from './sorted-hash.ts'
import { formatAs, formatDateTime, parseDate, parseDateTime, parseTime } from './temporal.ts'

/** Between the value of a property and its form in a document. Null never reaches a codec. */
export interface Codec {
  /** Null when both forms are the same. */
  readonly toWire: ((value: unknown) => unknown) | null
  /** That form as JSON text, where it is known without looking at it. */
  readonly toText?: (value: unknown) => string
  /** Undefined when the value is not of the kind: nothing is coerced. */
  fromWire(value: unknown): unknown
}

const codecs = new WeakMap<Attribute, Codec>()

/** The codec of an attribute, made once from its kind and words. */
export function codecOf(attribute: Attribute): Codec {
  const known = codecs.get(attribute)
  if (known) return known
  const codec = createCodec(attribute)
  codecs.set(attribute, codec)
  return codec
}

const text: Codec = { toWire: null, fromWire: (value) => (isText(value) ? value : undefined) }

function createCodec(attribute: Attribute): Codec {
  switch (attribute.kind) {
    case 'integer':
      return { toWire: Number, fromWire: (value) => (Number.isSafeInteger(value) ? value : undefined) }
    case 'decimal':
      return { toWire: Number, fromWire: (value) => (Number.isFinite(value) ? value : undefined) }
    case 'boolean':
      return { toWire: null, fromWire: (value) => (typeof value === 'boolean' ? value : undefined) }
    case 'dateTime':
      return dateTime(attribute)
    case 'date':
      return { toWire: toDay, fromWire: parseDate }
    case 'time':
      return { toWire: (value) => String(value).slice(0, 8), fromWire: parseTime }
    case 'arrayList':
      return arrayList(attribute)
    case 'arrayHash':
      return arrayHash(attribute)
    case 'map':
      return { toWire: null, fromWire: (value) => (isObject(value) ? value : undefined) }
    case 'obj':
      return objectOf(attribute.children)
    case 'oneOf':
      return oneOf(attribute)
    default:
      return text
  }
}

function dateTime({ format, timezone }: Attribute): Codec {
  const fromWire = (value: unknown) => parseDateTime(value, timezone)
  if (format) {
    const write = formatAs(format)
    return { toWire: (value) => write(value as Date), fromWire }
  }
  return {
    toWire: (value) => formatDateTime(value as Date),
    toText: (value) => `"${formatDateTime(value as Date)}"`,
    fromWire,
  }
}

function toDay(value: unknown): unknown {
  return value instanceof Date ? value.toISOString().slice(0, 10) : value
}

function arrayList({ sorted }: Attribute): Codec {
  return {
    toWire: sorted ? (value) => (value as unknown[]).toSorted() : null,
    fromWire: (value) => (Array.isArray(value) && isStorable(value) ? value : undefined),
  }
}

function arrayHash({ sorted }: Attribute): Codec {
  const fromWire = (value: unknown) => (isObject(value) && isStorable(value) ? value : undefined)
  if (!sorted) return { toWire: null, fromWire }
  return {
    toWire: (value) => sortHash(value as Record<string, unknown>, sorted),
    toText: (value) => writeSortedHash(value as Record<string, unknown>, sorted),
    fromWire,
  }
}

/** Declared children inside one stored value: no other member goes in or comes out. */
function objectOf(children: readonly Attribute[]): Codec {
  return {
    toWire: (value) => pick(children, value as Record<string, unknown>),
    fromWire: (value) => (isObject(value) ? readChildren(children, value) : undefined),
  }
}

function oneOf(attribute: Attribute): Codec {
  const { discriminator } = attribute
  const variant = (value: unknown) =>
    isObject(value) ? attribute.variants.get(String(value[discriminator])) : undefined
  return {
    toWire: (value) => ({
      [discriminator]: (value as Record<string, unknown>)[discriminator],
      ...pick(variant(value) ?? [], value as Record<string, unknown>),
    }),
    fromWire(value) {
      const children = variant(value)
      const read = children && readChildren(children, value as Record<string, unknown>)
      return read && { [discriminator]: (value as Record<string, unknown>)[discriminator], ...read }
    },
  }
}

function pick(children: readonly Attribute[], value: Record<string, unknown>): Record<string, unknown> {
  const shown = children.filter(({ hidden, writeOnly }) => hidden !== true && writeOnly !== true)
  return Object.fromEntries(shown.map(({ name }) => [name, value[name] ?? null]))
}

/** Inside a stored value children keep the form they have on the wire. */
function readChildren(
  children: readonly Attribute[],
  value: Record<string, unknown>,
): Record<string, unknown> | undefined {
  const read: Record<string, unknown> = {}
  for (const child of children) {
    const sent = value[child.name]
    if (sent === undefined || child.hidden === true || child.readOnlyOnCreate === true) continue
    if (sent !== null && codecOf(child).fromWire(sent) === undefined) return undefined
    read[child.name] = sent
  }
  return read
}

/** Text PostgreSQL can hold. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0') && value.isWellFormed()
}

/** Any JSON whose texts, keys included, can be held. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isText(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, child]) => isText(key) && isStorable(child))
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
