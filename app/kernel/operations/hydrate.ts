import { isHttpError } from 'http-errors'
import { attributeValueInvalid } from '../core-errors.ts'
import { type ApiError, apiErrorsOf, throwFaults } from '../errors.ts'
import { codecOf, isObject } from '../fields/codecs.ts'
import type { Attribute, Relation } from '../fields/definition.ts'
import { escapePointer } from '../input.ts'
import type { Input, Operation } from '../operation.ts'
import type { Awaitable } from '../plugin.ts'
import type { Changes, RelatedKey, RowChanges } from '../provider.ts'
import { remember } from '../remember.ts'
import type { Hydrator } from '../resource.ts'
import { writeChained } from './chain.ts'

/** The stored values of an input: members that are unknown, hidden or read-only are passed over. */
export function toChanges(
  operation: Operation,
  input: Input,
  toOne: ReadonlyMap<Relation, RelatedKey | null>,
  subject: object | null,
): Changes {
  const { type } = operation.target
  const draft: Draft = { operation, subject, data: input.attributes ?? {}, values: new Map(), fills: [], faults: [] }
  collect(type.attributes, draft.data, '/data/attributes', draft)
  throwFaults(draft.faults)
  const { hydrator } = type.declaration as { hydrator?: Hydrator<object> }
  const moment = { creating: operation.kind === 'Create' }
  if (hydrator) {
    draft.fills.push(async (entity) => {
      try {
        await hydrator.hydrate(entity, draft.data, moment)
      } catch (error) {
        throw isHttpError(error) ? error : refusedBy(error, 'attributes', '/data')
      }
    })
  }
  const key = operation.kind === 'Create' ? newKey(operation, input) : undefined
  return { ...(key !== undefined && { key }), values: draft.values, fills: draft.fills, toOne }
}

/** The same for what was sent of an association row, which is new when it is null. */
export function toRowChanges(
  operation: Operation,
  { pivotFields }: Relation,
  data: Readonly<Record<string, unknown>>,
  pointer: string,
  row: object | null,
): RowChanges {
  const ofRow: Operation = { ...operation, kind: row ? 'Update' : 'Create', computed: undefined }
  const draft: Draft = { operation: ofRow, subject: row, data, values: new Map(), fills: [], faults: [] }
  collect(pivotFields, data, `${pointer}/meta/pivot`, draft)
  throwFaults(draft.faults)
  return { values: draft.values, fills: draft.fills }
}

interface Draft {
  readonly operation: Operation
  /** The entity before the change; null when it is new. */
  readonly subject: object | null
  readonly data: Readonly<Record<string, unknown>>
  readonly values: Map<string, unknown>
  readonly fills: ((entity: object) => Awaitable<void>)[]
  readonly faults: ApiError[]
}

/** The client's id, or one we make; undefined leaves it to the store. */
function newKey(operation: Operation, input: Input): unknown {
  const { codec, id } = operation.target.type
  if (input.id !== undefined) return codec.decode(input.id)
  return id.generate ? computeOnce(operation, id, () => id.generate?.()) : undefined
}

/** Runs a function of the author, unless it has run for this operation. */
function computeOnce(operation: Operation, key: object, compute: () => unknown): unknown {
  operation.computed ??= new Map()
  return remember(operation.computed, key, compute)
}

/** The input without linkage that is not taken: it is not looked at any further. */
export function takenInput(operation: Operation): Input {
  const input = operation.input as Input
  return { ...input, linkage: input.linkage.filter(({ relation }) => isWritable(relation, operation)) }
}

/** Whether a member sent in this operation is taken. */
export function isWritable(field: Attribute | Relation, operation: Operation): boolean {
  const rule = operation.kind === 'Create' ? field.readOnlyOnCreate : field.readOnlyOnUpdate
  const readOnly = typeof rule === 'function' ? rule(operation.context.request) : rule
  return field.hidden !== true && !readOnly
}

function collect(
  attributes: readonly Attribute[],
  sent: Readonly<Record<string, unknown>>,
  parent: string,
  draft: Draft,
): void {
  for (const attribute of attributes) {
    const value = Object.hasOwn(sent, attribute.name) ? sent[attribute.name] : undefined
    if (value === undefined || !isWritable(attribute, draft.operation)) continue
    if (attribute.kind === 'map' && (value === null || isObject(value))) {
      const emptied = Object.fromEntries(attribute.children.map(({ name }) => [name, null]))
      collect(attribute.children, value ?? emptied, pointerTo(attribute, parent), draft)
    } else {
      collectOne(attribute, value, parent, draft)
    }
  }
}

function collectOne(attribute: Attribute, value: unknown, parent: string, draft: Draft): void {
  const { name, property, fill, deserialize } = attribute
  if (fill) {
    draft.fills.push(async (entity) => {
      try {
        await fill(entity, value, draft.data, name)
      } catch (error) {
        throw refusedBy(error, name, pointerTo(attribute, parent))
      }
    })
    return
  }
  let stored: unknown
  try {
    stored = deserialize
      ? computeOnce(draft.operation, attribute, () => deserialize(value, draft.data))
      : storedValue(attribute, value, attribute.on ? null : draft.subject)
  } catch (error) {
    throw refusedBy(error, name, pointerTo(attribute, parent))
  }
  if (stored === undefined) draft.faults.push(refused(name, pointerTo(attribute, parent)))
  else if (attribute.on) {
    draft.fills.push((entity) => writeChained(attribute, stored, pointerTo(attribute, parent), entity, draft.operation))
  } else if (property) draft.values.set(property, stored)
}

function pointerTo({ name }: Attribute, parent: string): string {
  return `${parent}/${escapePointer(name)}`
}

/** What an author's function throws is the client's fault, unless it says otherwise. */
function refusedBy(error: unknown, attribute: string, pointer: string): unknown {
  return apiErrorsOf(error).length > 0 ? error : refused(attribute, pointer)
}

function refused(attribute: string, pointer: string): ApiError {
  return attributeValueInvalid({ attribute }, { source: { pointer } })
}

/** Children of a stored object that were not sent keep their values; another variant starts anew. */
function storedValue(attribute: Attribute, value: unknown, subject: object | null): unknown {
  if (value === null) return null
  const { kind, property, discriminator } = attribute
  const before = subject && property ? (subject as Record<string, unknown>)[property] : null
  if (!isObject(before) || !isObject(value) || (kind !== 'obj' && kind !== 'oneOf'))
    return codecOf(attribute).fromWire(value)
  if (kind === 'obj') return merge(before, codecOf(attribute).fromWire(value))
  const selected = value[discriminator] ?? before[discriminator]
  const read = codecOf(attribute).fromWire({ ...value, [discriminator]: selected })
  return selected === before[discriminator] ? merge(before, read) : read
}

function merge(before: Record<string, unknown>, after: unknown): unknown {
  return isObject(after) ? { ...before, ...after } : undefined
}
