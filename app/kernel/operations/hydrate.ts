import { attributeValueInvalid } from '../core-errors.ts'
import { type ApiError, throwFaults } from '../errors.ts'
import { codecs, isObject } from '../fields/codecs.ts'
import type { Attribute, Relation } from '../fields/definition.ts'
import { escapePointer } from '../input.ts'
import type { Input, Operation } from '../operation.ts'
import type { Changes } from '../provider.ts'
import type { ResourceType } from '../resource.ts'

/** The stored values of an input: members that are unknown, hidden or read-only are passed over. */
export function toChanges(operation: Operation, input: Input, related: ReadonlyMap<Relation, unknown>): Changes {
  const { type } = operation.target
  const values = new Map<string, unknown>()
  const faults: ApiError[] = []
  collect(type.attributes, input.attributes ?? {}, '/data/attributes', operation, values, faults)
  throwFaults(faults)
  const toOne = new Map([...related].filter(([relation]) => isWritable(relation, operation)))
  const key = operation.kind === 'Create' ? newKey(type, input) : undefined
  return { ...(key !== undefined && { key }), values, toOne }
}

/** The client's id, or one we make; undefined leaves it to the store. */
function newKey({ codec, id }: ResourceType, input: Input): unknown {
  return input.id === undefined ? id.generate?.() : codec.decode(input.id)
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
  operation: Operation,
  values: Map<string, unknown>,
  faults: ApiError[],
): void {
  for (const attribute of attributes) {
    const value = Object.hasOwn(sent, attribute.name) ? sent[attribute.name] : undefined
    if (value === undefined || !isWritable(attribute, operation)) continue
    const pointer = `${parent}/${escapePointer(attribute.name)}`
    const stored = value === null ? null : codecs[attribute.kind].fromWire(value)
    if (stored === undefined) {
      faults.push(attributeValueInvalid({ attribute: attribute.name }, { source: { pointer } }))
    } else if (attribute.kind === 'map') {
      const children = isObject(value) ? value : Object.fromEntries(attribute.children.map(({ name }) => [name, null]))
      collect(attribute.children, children, pointer, operation, values, faults)
    } else if (attribute.property) {
      values.set(attribute.property, stored)
    }
  }
}
