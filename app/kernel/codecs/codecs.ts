import { getOrCreate } from '../lib/get-or-create.ts'
import { isObject } from '../lib/is-object.ts'
import { isStorableText, toStorableText } from '../lib/storable-text.ts'
import type { Attribute } from '../schema/field.ts'
import { isConditional, isNeverShown } from '../schema/field-visibility.ts'
import { compareValues } from './compare-values.ts'
import { sortHash, writeSortedHash } from './sorted-hash.ts'
import {
  formatAs,
  formatDateTime,
  formatInfinity,
  parseDate,
  parseDateTime,
  parseInfinity,
  parseTime,
  parseTimeOfDay,
} from './temporal.ts'

/** Converts between a stored value and its value in a document. Null is handled by the caller. */
interface Codec {
  /** Null if both values are the same. */
  readonly toWire: ((value: unknown) => unknown) | null
  /** The value in the document as JSON text, if it keeps an order of members. */
  readonly toText?: (value: unknown) => string
  /** Whether stored texts are shown unchanged. */
  readonly keepsTexts?: boolean
  /** Whether `toWire` returns texts that need no escaping in JSON. */
  readonly isUnescaped?: boolean
  /** Undefined if the value is not of the kind: nothing is coerced. */
  fromWire(value: unknown): unknown
}

const codecs = new WeakMap<Attribute, Codec>()

export function codecOf(attribute: Attribute): Codec {
  return codecs.get(attribute) ?? getOrCreate(codecs, attribute, createCodec)
}

const text: Codec = { toWire: null, fromWire: toStorableText }

function createCodec(attribute: Attribute): Codec {
  switch (attribute.kind) {
    case 'integer':
      return { toWire: showNumber, fromWire: (value) => (Number.isSafeInteger(value) ? value : undefined) }
    case 'decimal':
      return { toWire: showNumber, fromWire: (value) => (Number.isFinite(value) ? value : undefined) }
    case 'boolean':
      return { toWire: null, fromWire: (value) => (typeof value === 'boolean' ? value : undefined) }
    case 'dateTime':
      return dateTime(attribute)
    case 'date':
      return { toWire: toDay, keepsTexts: true, fromWire: attribute.infinite ? parseDateOrInfinity : parseDate }
    case 'time':
      return { toWire: withoutZone, fromWire: attribute.fractional ? parseTimeOfDay : parseTime }
    case 'arrayList':
      return arrayList(attribute)
    case 'arrayHash':
      return arrayHash(attribute)
    case 'map':
      return { toWire: null, fromWire: (value) => (isObject(value) ? value : undefined) }
    case 'obj':
    case 'oneOf':
      return createObjectCodec(attribute)
    default:
      return text
  }
}

/** JSON has no number for `NaN` and infinities: their texts are shown, which requests may not contain. */
function showNumber(value: unknown): number | string {
  const number = Number(value)
  return Number.isFinite(number) ? number : String(number)
}

function dateTime({ format, timezone, infinite }: Attribute): Codec {
  const fromWire = (value: unknown) => (infinite ? parseInfinity(value) : undefined) ?? parseDateTime(value, timezone)
  if (format) {
    const write = formatAs(format)
    return { toWire: (value) => write(value as Date), fromWire }
  }
  return { toWire: formatDateTime as (value: unknown) => string, isUnescaped: true, fromWire }
}

function toDay(value: unknown): unknown {
  return value instanceof Date ? (formatInfinity(value) ?? value.toISOString().slice(0, 10)) : value
}

/** A date is stored as a text. */
function parseDateOrInfinity(value: unknown): string | undefined {
  return parseInfinity(value) ? (value as string) : parseDate(value)
}

/** `03:04:05.678+02` → `03:04:05.678` */
function withoutZone(time: unknown): string {
  return String(time).replace(/[+-].*$/, '')
}

function arrayList({ sorted }: Attribute): Codec {
  return {
    toWire: sorted ? (value) => (value as unknown[]).toSorted(compareValues) : null,
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

/** Used without a request: conditional children are hidden and not writable. */
function createObjectCodec(attribute: Attribute): Codec {
  const isHidden = (child: Attribute) => isNeverShown(child) || isConditional(child)
  const isWritable = ({ hidden, readOnlyOnCreate }: Attribute) => hidden !== true && readOnlyOnCreate === false
  return {
    toWire: (value) => showObject(attribute, value, isHidden),
    fromWire: (value) => (isObject(value) ? readObject(attribute, value, null, isWritable) : undefined),
  }
}

/** Whether the store can hold all texts of a JSON value, keys included. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isStorableText(value)
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isStorable)
  return Object.entries(value).every(([key, child]) => isStorable(key) && isStorable(child))
}

// The stored value of an obj or a oneOf is one JSON value with the declared children, in the form of the document. That of
// an embeddable has the values of its properties, as an entity holds them.

type Json = Record<string, unknown>
type ChildTest = (child: Attribute) => boolean

/** The declared children of a stored value that are not hidden. */
export function showObject(attribute: Attribute, value: unknown, isHidden: ChildTest): Json {
  const { kind, discriminator } = attribute
  const stored = isObject(value) ? value : {}
  const shown: Json = kind === 'oneOf' ? { [discriminator]: stored[discriminator] } : {}
  for (const child of selectedChildren(attribute, stored[discriminator]) ?? []) {
    if (!isHidden(child)) shown[child.name] = showChild(attribute, child, stored[keyIn(attribute, child)], isHidden)
  }
  return shown
}

/** The name of a child in the stored value. */
function keyIn({ embedded }: Attribute, { name, property }: Attribute): string {
  return embedded ? (property ?? name) : name
}

function showChild({ embedded }: Attribute, child: Attribute, value: unknown, isHidden: ChildTest): unknown {
  if (value === null || value === undefined) return null
  if (isNested(child)) return showObject(child, value, isHidden)
  const { toWire } = codecOf(child)
  return embedded && toWire ? toWire(value) : value
}

/**
 * The value to store. A child that was not sent, or that is not writable, keeps its stored value; another variant starts
 * empty. Undefined if a sent value is not of its kind, or no variant is selected.
 */
export function readObject(
  attribute: Attribute,
  sent: Json,
  before: Json | null,
  isWritable: ChildTest,
): Json | undefined {
  const { kind, discriminator } = attribute
  const selected = kind === 'oneOf' ? (sent[discriminator] ?? before?.[discriminator]) : undefined
  const children = selectedChildren(attribute, selected)
  if (!children) return undefined
  const kept = kind === 'oneOf' && before?.[discriminator] !== selected ? null : before
  const read: Json = { ...kept, ...(kind === 'oneOf' && { [discriminator]: selected }) }
  for (const child of children) {
    const value = Object.hasOwn(sent, child.name) ? sent[child.name] : undefined
    if (value === undefined || !isWritable(child)) continue
    const key = keyIn(attribute, child)
    const stored = readChild(attribute, child, value, { before: kept?.[key], isWritable })
    if (stored === undefined) return undefined
    read[key] = stored
  }
  return read
}

function readChild(
  { embedded }: Attribute,
  child: Attribute,
  value: unknown,
  { before, isWritable }: { readonly before: unknown; readonly isWritable: ChildTest },
): unknown {
  if (!isNested(child)) {
    const stored = value === null ? null : codecOf(child).fromWire(value)
    return embedded || stored === undefined ? stored : value
  }
  const held = isObject(before) ? before : null
  if (value === null) return clearObject(child, held, isWritable)
  return isObject(value) ? readObject(child, value, held, isWritable) : undefined
}

/** The value to store for an explicit null: the children that are not writable. Null if there are none. */
export function clearObject(attribute: Attribute, before: Json | null, isWritable: ChildTest): Json | null {
  if (!before || attribute.kind === 'oneOf') return null
  const kept: Json = {}
  for (const child of attribute.children) {
    const key = keyIn(attribute, child)
    const held = before[key] ?? null
    const left = isWritable(child) ? clearChild(child, held, isWritable) : held
    if (left !== null) kept[key] = left
  }
  return Object.keys(kept).length > 0 ? kept : null
}

function clearChild(child: Attribute, held: unknown, isWritable: ChildTest): unknown {
  return isNested(child) && isObject(held) ? clearObject(child, held, isWritable) : null
}

/** The children of an object, or of the selected variant. Undefined if the variant does not exist. */
function selectedChildren(
  { kind, children, variants }: Attribute,
  selected: unknown,
): readonly Attribute[] | undefined {
  if (kind !== 'oneOf') return children
  return typeof selected === 'string' ? variants.get(selected) : undefined
}

/** Whether the value is an object with children. */
function isNested({ kind }: Attribute): boolean {
  return kind === 'obj' || kind === 'oneOf' || kind === 'map'
}
