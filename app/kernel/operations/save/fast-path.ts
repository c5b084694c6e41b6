import type { Attribute, Relation } from '../../model/field.ts'
import type { Operation } from '../../model/operation.ts'
import type { FastPath } from '../../model/persister.ts'
import type { TypeHook } from '../../model/plugin.ts'
import type { ResourceType } from '../../model/resource-type.ts'

/** The fast path of the persister. Undefined if a write of the type needs the entity: it takes the regular path. */
export function fastPathFor({ target: { type }, context }: Operation): FastPath | undefined {
  const { fast } = type.persister
  return fast && !needsEntity(type) && fast.accepts(type, context) ? fast : undefined
}

/** Whether a hook or a function of the author receives the entity of a write. */
function needsEntity(type: ResourceType): boolean {
  if (hasWriteHooks(type)) return true
  const { hydrator } = type.declaration as { hydrator?: object }
  return hydrator !== undefined || type.attributes.some(isFilled) || type.relations.some(isGated)
}

/**
 * Whether a hook or a check receives rows of the type that change with another resource, before or after they are saved. A
 * type with a check of links counts, so that its plugin does not receive a moved row as a member of a many-to-many.
 */
export function hasMemberHooks(type: ResourceType): boolean {
  const { scope, checkRows } = type.steps
  const { members, links, written } = checkRows
  if (scope.written.length + members.length + links.length + written.length > 0) return true
  return hasWriteHooks(type) || hasHooks(type, ['afterCommit'])
}

export function hasWriteHooks(type: ResourceType): boolean {
  return hasHooks(type, ['beforeSave', 'afterSave'])
}

/** Whether one of the hooks is called for the type. */
export function hasHooks(type: ResourceType, hooks: readonly TypeHook[]): boolean {
  return hooks.some((hook) => type.hooks[hook].length > 0)
}

function isFilled({ fill, on }: Attribute): boolean {
  return fill !== null || on !== null
}

function isGated({ cannotReplace, cannotAdd, cannotRemove }: Relation): boolean {
  return [cannotReplace, cannotAdd, cannotRemove].some((rule) => typeof rule === 'function')
}
