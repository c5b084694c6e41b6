import { getOrCreate } from '../lib/get-or-create.ts'
import { type Attribute, childrenOf, type Relation, type Row } from './field.ts'
import type { ApiRequest } from './request.ts'
import { applies } from './restrictions.ts'
import { visibilityOf } from './visibility.ts'

/** Whether a field of a record is hidden in the response to a request. */
export type IsHidden = (record: Row, request: ApiRequest) => boolean

/** Whether a field is in no response. */
export function isNeverShown(field: Attribute | Relation): boolean {
  return field.hidden === true || (field.role === 'attribute' && field.writeOnly === true)
}

/** Whether a function decides if the field is shown. */
export function isConditional(field: Attribute | Relation): boolean {
  const isWriteOnly = field.role === 'attribute' && typeof field.writeOnly === 'function'
  return typeof field.hidden === 'function' || field.hiddenFor !== null || isWriteOnly
}

/** Whether a function decides about the attribute or one of its children. */
export function hasConditionalPart(attribute: Attribute): boolean {
  return isConditional(attribute) || childrenOf(attribute).some(hasConditionalPart)
}

const tests = new WeakMap<Attribute | Relation, IsHidden>()

export function hiddenTestOf(field: Attribute | Relation): IsHidden {
  return getOrCreate(tests, field, () => createTest(field))
}

function createTest(field: Attribute | Relation): IsHidden {
  if (isNeverShown(field)) return () => true
  if (!isConditional(field)) return () => false
  const { hidden, hiddenFor } = field
  const writeOnly = field.role === 'attribute' ? field.writeOnly : false
  return (record, request) =>
    (hiddenFor !== null && visibilityOf(request).hides(field)) ||
    applies(hidden, [record, request], request) ||
    applies(writeOnly, [request], request)
}
