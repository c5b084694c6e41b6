import type { Attribute } from '../model/field.ts'
import { isConditional, isNeverShown } from '../model/hiding.ts'
import { readObject, showObject } from './object-values.ts'
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
    case 'oneOf':
      return objectOf(attribute)
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

/** Without a request: what only some requesters see or write has no part in it. */
function objectOf(attribute: Attribute): Codec {
  const isHidden = (child: Attribute) => isNeverShown(child) || isConditional(child)
  const isTaken = ({ hidden, readOnlyOnCreate }: Attribute) => hidden !== true && readOnlyOnCreate === false
  return {
    toWire: (value) => showObject(attribute, value, isHidden),
    fromWire: (value) => (isObject(value) ? readObject(attribute, value, null, isTaken) : undefined),
  }
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
