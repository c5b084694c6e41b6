import { isHttpError } from 'http-errors'
import { clearObject, codecOf, readObject } from '../../codecs/codecs.ts'
import { attributeValueInvalid } from '../../errors/core-errors.ts'
import { type ApiError, apiErrorsOf } from '../../errors/errors.ts'
import { Faults } from '../../errors/faults.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import { getOrCreate } from '../../lib/get-or-create.ts'
import { isObject } from '../../lib/is-object.ts'
import { escapePointer } from '../../lib/json-pointer.ts'
import type { Attribute, Relation } from '../../model/field.ts'
import type { Input, Operation } from '../../model/operation.ts'
import type { Changes, RelatedKey, RowChanges } from '../../model/provider.ts'
import type { Hydrator } from '../../model/resource-type.ts'
import { applies } from '../../model/restrictions.ts'
import type { ChainedValue } from './chained-attribute.ts'
import { writeChained } from './chained-attribute.ts'

/** The stored values of an input: members that are unknown, hidden or read-only are passed over. */
export function toChanges(
  operation: Operation,
  input: Input,
  toOne: ReadonlyMap<Relation, RelatedKey | null>,
  subject: object | null,
): Changes {
  const { type } = operation.target
  const draft = createDraft(operation, input.attributes ?? {}, subject)
  collect(type.attributes, draft.data, '/data/attributes', draft)
  draft.faults.throwAny()
  if (draft.chained.length > 0) draft.fills.push((entity) => writeChained(draft.chained, entity, operation))
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
  const draft = createDraft(ofRow, data, row)
  collect(pivotFields, data, `${pointer}/meta/pivot`, draft)
  draft.faults.throwAny()
  return { values: draft.values, fills: draft.fills }
}

interface Draft {
  readonly operation: Operation
  /** The entity before the change; null when it is new. */
  readonly subject: object | null
  readonly data: Readonly<Record<string, unknown>>
  readonly values: Map<string, unknown>
  readonly fills: ((entity: object) => Awaitable<void>)[]
  readonly chained: ChainedValue[]
  readonly faults: Faults
}

function createDraft(operation: Operation, data: Draft['data'], subject: object | null): Draft {
  const faults = new Faults(operation.context.app.config.limits.errors)
  return { operation, subject, data, values: new Map(), fills: [], chained: [], faults }
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
  return getOrCreate(operation.computed, key, compute)
}

/** The input without linkage that is not taken: it is not looked at any further. */
export function takenInput(operation: Operation): Input {
  const input = operation.input as Input
  return { ...input, linkage: input.linkage.filter(({ relation }) => isWritable(relation, operation)) }
}

/** Whether a member sent in this operation is taken. */
export function isWritable(field: Attribute | Relation, operation: Operation): boolean {
  const rule = operation.kind === 'Create' ? field.readOnlyOnCreate : field.readOnlyOnUpdate
  const { request } = operation.context
  return field.hidden !== true && !applies(rule, [request], request)
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
      : storedValue(attribute, value, attribute.on ? null : draft.subject, draft.operation)
  } catch (error) {
    throw refusedBy(error, name, pointerTo(attribute, parent))
  }
  if (stored === undefined) draft.faults.push(refused(name, pointerTo(attribute, parent)))
  else if (attribute.on) draft.chained.push({ attribute, value: stored, pointer: pointerTo(attribute, parent) })
  else if (property) draft.values.set(property, stored)
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

/** Children of a stored object that were not sent, or are not taken, keep their values. */
function storedValue(attribute: Attribute, value: unknown, subject: object | null, operation: Operation): unknown {
  const { kind, property } = attribute
  if (kind !== 'obj' && kind !== 'oneOf') return value === null ? null : codecOf(attribute).fromWire(value)
  const held = subject && property ? (subject as Record<string, unknown>)[property] : null
  const before = isObject(held) ? held : null
  const isTaken = (child: Attribute) => isWritable(child, operation)
  if (value === null) return clearObject(attribute, before, isTaken)
  return isObject(value) ? readObject(attribute, value, before, isTaken) : undefined
}
