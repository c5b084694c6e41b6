import { isHttpError } from 'http-errors'
import { clearObject, codecOf, readObject } from '../../codecs/codecs.ts'
import type { Input, Operation } from '../../contract/operation.ts'
import type { Changes, PivotChanges, RelatedKey } from '../../data/persister.ts'
import { attributeValueInvalid } from '../../errors/core-errors.ts'
import { type ApiError, toApiErrors } from '../../errors/errors.ts'
import { Faults } from '../../errors/faults.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import { isObject } from '../../lib/is-object.ts'
import { escapePointer } from '../../lib/json-pointer.ts'
import type { Attribute, Relation } from '../../schema/field.ts'
import type { Hydrator } from '../../schema/resource-type.ts'
import { applies } from '../../schema/restrictions.ts'
import { type ChainedValue, writeChained } from './chained-attribute.ts'

/** The values to store of an input. Skips members that are unknown, hidden or read-only. */
export function toChanges(
  operation: Operation,
  input: Input,
  toOne: ReadonlyMap<Relation, RelatedKey | null>,
  subject: object | null,
): Changes {
  const { type } = operation.target
  const hydration = startHydration(operation, input.attributes ?? {}, subject, operation.plan.write.restrictsFields)
  collect(type.attributes, hydration.data, '/data/attributes', hydration)
  hydration.faults?.throwAny()
  if (hydration.chained.length > 0)
    hydration.fills.push((entity) => writeChained(hydration.chained, entity, operation, input.linkage))
  const { hydrator } = type.declaration as { hydrator?: Hydrator<object> }
  if (hydrator) {
    hydration.fills.push(async (entity) => {
      try {
        await hydrator.hydrate(entity, hydration.data, { creating: operation.kind === 'Create' })
      } catch (error) {
        throw isHttpError(error) ? error : refusedBy(error, 'attributes', '/data')
      }
    })
  }
  const key = operation.kind === 'Create' ? newKey(operation, input) : undefined
  return { ...(key !== undefined && { key }), values: hydration.values, fills: hydration.fills, toOne }
}

/** The values to store of a pivot row; null while it is new. */
export function toPivotChanges(
  operation: Operation,
  { pivotFields }: Relation,
  data: Readonly<Record<string, unknown>>,
  pointer: string,
  row: object | null,
): PivotChanges {
  const ofRow: Operation = { ...operation, kind: row ? 'Update' : 'Create' }
  const hydration = startHydration(ofRow, data, row, true)
  collect(pivotFields, data, `${pointer}/meta/pivot`, hydration)
  hydration.faults?.throwAny()
  return { values: hydration.values, fills: hydration.fills }
}

interface Hydration {
  readonly operation: Operation
  /** The entity or row before the change; null while it is new. */
  readonly subject: object | null
  readonly data: Readonly<Record<string, unknown>>
  /** Whether each attribute is checked for restrictions. */
  readonly isRestricted: boolean
  readonly values: Map<string, unknown>
  readonly fills: ((entity: object) => Awaitable<void>)[]
  readonly chained: ChainedValue[]
  /** Created for the first value that is refused. */
  faults?: Faults
}

function startHydration(
  operation: Operation,
  data: Hydration['data'],
  subject: object | null,
  isRestricted: boolean,
): Hydration {
  return { operation, subject, data, isRestricted, values: new Map(), fills: [], chained: [] }
}

/** The id of the client, or a generated one. Undefined if the database generates it. */
function newKey(operation: Operation, input: Input): unknown {
  const { codec, id } = operation.target.type
  if (input.id !== undefined) return codec.decode(input.id)
  return id.generate?.()
}

/** The input without linkage that is hidden or read-only. */
export function writableInput(operation: Operation): Input {
  const input = operation.input as Input
  if (!operation.plan.write.restrictsFields) return input
  for (const { relation } of input.linkage) {
    if (isWritable(relation, operation)) continue
    return { ...input, linkage: input.linkage.filter((one) => isWritable(one.relation, operation)) }
  }
  return input
}

/** Whether a member that was sent is written: it is neither hidden nor read-only. */
export function isWritable(field: Attribute | Relation, operation: Operation): boolean {
  if (field.hidden === true) return false
  const rule = operation.kind === 'Create' ? field.readOnlyOnCreate : field.readOnlyOnUpdate
  if (typeof rule !== 'function') return !rule
  const { request } = operation.context
  return !applies(rule, [request], request)
}

function collect(
  attributes: readonly Attribute[],
  sent: Readonly<Record<string, unknown>>,
  parent: string,
  hydration: Hydration,
): void {
  for (const attribute of attributes) {
    const value = Object.hasOwn(sent, attribute.name) ? sent[attribute.name] : undefined
    if (value === undefined || (hydration.isRestricted && !isWritable(attribute, hydration.operation))) continue
    if (attribute.kind === 'map' && (value === null || isObject(value))) {
      const emptied = Object.fromEntries(attribute.children.map(({ name }) => [name, null]))
      collect(attribute.children, value ?? emptied, attributePointer(attribute, parent), hydration)
    } else {
      collectOne(attribute, value, parent, hydration)
    }
  }
}

function collectOne(attribute: Attribute, value: unknown, parent: string, hydration: Hydration): void {
  const { name, property, fill, deserialize } = attribute
  if (fill) {
    hydration.fills.push(async (entity) => {
      try {
        await fill(entity, value, hydration.data, name)
      } catch (error) {
        throw refusedBy(error, name, attributePointer(attribute, parent))
      }
    })
    return
  }
  let stored: unknown
  try {
    stored = deserialize
      ? deserialize(value, hydration.data)
      : storedValue(attribute, value, attribute.on ? null : hydration.subject, hydration.operation)
  } catch (error) {
    throw refusedBy(error, name, attributePointer(attribute, parent))
  }
  if (stored === undefined) {
    hydration.faults ??= new Faults(hydration.operation.context.app.config.limits.errors)
    hydration.faults.push(refused(name, attributePointer(attribute, parent)))
  } else if (attribute.on) {
    const valueFor = (owner: object) =>
      deserialize ? stored : storedValue(attribute, value, owner, hydration.operation)
    hydration.chained.push({ attribute, valueFor, pointer: attributePointer(attribute, parent) })
  } else if (property) hydration.values.set(property, stored)
}

function attributePointer({ name }: Attribute, parent: string): string {
  return `${parent}/${escapePointer(name)}`
}

/** An error that an author's function throws means that the value is invalid, unless it is an API error. */
function refusedBy(error: unknown, attribute: string, pointer: string): unknown {
  return toApiErrors(error).length > 0 ? error : refused(attribute, pointer)
}

function refused(attribute: string, pointer: string): ApiError {
  return attributeValueInvalid({ attribute }, { source: { pointer } })
}

/** Children of a stored object that were not sent, or are not writable, keep their values. */
function storedValue(attribute: Attribute, value: unknown, subject: object | null, operation: Operation): unknown {
  const { kind, property } = attribute
  if (kind !== 'obj' && kind !== 'oneOf') return value === null ? null : codecOf(attribute).fromWire(value)
  const held = subject && property ? (subject as Record<string, unknown>)[property] : null
  const before = isObject(held) ? held : null
  const isAccepted = (child: Attribute) => isWritable(child, operation)
  if (value === null) return clearObject(attribute, before, isAccepted)
  return isObject(value) ? readObject(attribute, value, before, isAccepted) : undefined
}
