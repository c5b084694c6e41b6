import type { Attribute, Relation } from './field.ts'

// Which fields are hidden without a requester: by `hidden` and `writeOnly`.

/** The declaration that hides a field from all requesters or by row. Null if there is none. */
export function hidingDeclaration(field: Attribute | Relation): string | null {
  if (field.hidden !== false) return 'hidden()'
  return field.role === 'attribute' && field.writeOnly !== false ? 'writeOnly()' : null
}

/** Whether a field is in no response. */
export function isNeverShown(field: Attribute | Relation): boolean {
  return field.hidden === true || (field.role === 'attribute' && field.writeOnly === true)
}

/** Whether a function decides if the field is shown. */
export function isConditional(field: Attribute | Relation): boolean {
  const isWriteOnly = field.role === 'attribute' && typeof field.writeOnly === 'function'
  return typeof field.hidden === 'function' || field.hiddenFor !== null || isWriteOnly
}
