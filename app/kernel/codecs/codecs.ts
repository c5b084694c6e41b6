import { isObject } from '../lib/is-object.ts'
import type { Attribute } from '../model/field.ts'
import { isConditional, isNeverShown } from '../model/hiding.ts'
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
  if (Array.isArray(value)) return value.every(isStorable)
  return Object.entries(value).every(([key, child]) => isText(key) && isStorable(child))
}

// The stored value of an obj or a oneOf: declared children inside one JSON value, in the form they have on the wire.

type Json = Record<string, unknown>
type ChildTest = (child: Attribute) => boolean

/** The value as it is shown: no member but the declared children, without those that are hidden. */
export function showObject(attribute: Attribute, value: unknown, isHidden: ChildTest): Json {
  const { kind, discriminator } = attribute
  const stored = isObject(value) ? value : {}
  const shown: Json = kind === 'oneOf' ? { [discriminator]: stored[discriminator] } : {}
  for (const child of selectedChildren(attribute, stored[discriminator]) ?? []) {
    if (!isHidden(child)) shown[child.name] = showChild(child, stored[child.name], isHidden)
  }
  return shown
}

function showChild(child: Attribute, value: unknown, isHidden: ChildTest): unknown {
  if (value === null || value === undefined) return null
  return isNested(child) ? showObject(child, value, isHidden) : value
}

/**
 * The value to store: a child that was not sent or is not taken keeps its stored value; another variant starts with
 * nothing. Undefined when a sent value is not of its kind, or no variant is selected.
 */
export function readObject(
  attribute: Attribute,
  sent: Json,
  before: Json | null,
  isTaken: ChildTest,
): Json | undefined {
  const { kind, discriminator } = attribute
  const selected = kind === 'oneOf' ? (sent[discriminator] ?? before?.[discriminator]) : undefined
  const children = selectedChildren(attribute, selected)
  if (!children) return undefined
  const kept = kind === 'oneOf' && before?.[discriminator] !== selected ? null : before
  const read: Json = { ...kept, ...(kind === 'oneOf' && { [discriminator]: selected }) }
  for (const child of children) {
    const value = Object.hasOwn(sent, child.name) ? sent[child.name] : undefined
    if (value === undefined || !isTaken(child)) continue
    const stored = readChild(child, value, kept?.[child.name], isTaken)
    if (stored === undefined) return undefined
    read[child.name] = stored
  }
  return read
}

function readChild(child: Attribute, value: unknown, before: unknown, isTaken: ChildTest): unknown {
  if (!isNested(child)) return value === null || codecOf(child).fromWire(value) !== undefined ? value : undefined
  const held = isObject(before) ? before : null
  if (value === null) return clearObject(child, held, isTaken)
  return isObject(value) ? readObject(child, value, held, isTaken) : undefined
}

/** What an explicit null leaves: the stored values of children that are not taken; null when there are none. */
export function clearObject(attribute: Attribute, before: Json | null, isTaken: ChildTest): Json | null {
  if (!before || attribute.kind === 'oneOf') return null
  const kept: Json = {}
  for (const child of attribute.children) {
    const held = before[child.name] ?? null
    const left = isTaken(child) ? clearChild(child, held, isTaken) : held
    if (left !== null) kept[child.name] = left
  }
  return Object.keys(kept).length > 0 ? kept : null
}

function clearChild(child: Attribute, held: unknown, isTaken: ChildTest): unknown {
  return isNested(child) && isObject(held) ? clearObject(child, held, isTaken) : null
}

/** The children of an object, or of the selected variant; undefined when there is no such variant. */
function selectedChildren(
  { kind, children, variants }: Attribute,
  selected: unknown,
): readonly Attribute[] | undefined {
  if (kind !== 'oneOf') return children
  return typeof selected === 'string' ? variants.get(selected) : undefined
}

function isNested({ kind }: Attribute): boolean {
  return kind === 'obj' || kind === 'oneOf' || kind === 'map'
}
