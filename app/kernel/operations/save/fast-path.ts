import type { Attribute, Relation } from '../../model/field.ts'
import type { Operation } from '../../model/operation.ts'
import type { FastPath } from '../../model/persister.ts'
import type { Plan } from '../../model/stages.ts'

/** The fast path of the persister. Undefined if a write of the type needs the entity: it takes the regular path. */
export function fastPathFor(operation: Operation): FastPath | undefined {
  const { target, context } = operation
  const { type } = target
  const { fast } = type.persister
  return fast && !needsEntity(operation) && fast.accepts(type, context) ? fast : undefined
}

/** Whether a step or a function of the author receives the entity of a write. */
function needsEntity({ plan, target: { type } }: Operation): boolean {
  if (receivesEntity(plan)) return true
  const { hydrator } = type.declaration as { hydrator?: object }
  return hydrator !== undefined || type.attributes.some(isFilled) || type.relations.some(isGated)
}

export function receivesEntity({ beforeSave, afterSave }: Plan): boolean {
  return beforeSave.length + afterSave.length > 0
}

function isFilled({ fill, on }: Attribute): boolean {
  return fill !== null || on !== null
}

function isGated({ cannotReplace, cannotAdd, cannotRemove }: Relation): boolean {
  return [cannotReplace, cannotAdd, cannotRemove].some((rule) => typeof rule === 'function')
}
