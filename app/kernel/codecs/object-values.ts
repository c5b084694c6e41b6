import type { Attribute } from '../model/field.ts'
import { codecOf, isObject } from './codecs.ts'

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
