import { resourceNotFound } from '../errors/core-errors.ts'
import type { Row } from '../model/field.ts'
import { relationshipMissing } from '../model/missing-relationship.ts'
import type { Operation } from '../model/operation.ts'
import type { FastPath } from '../model/persister.ts'
import type { ReadOptions } from '../model/provider.ts'
import { isOfType, type ResourceType } from '../model/resource-type.ts'
import { keyQuery } from '../read/key-query.ts'
import { isHiddenFrom } from '../read/load-relation.ts'

/**
 * The subject of a write, locked: an entity, or a row on the fast path. Changes that hooks have made to it are saved before,
 * because they would be discarded. Throws RESOURCE_NOT_FOUND if there is none.
 */
export async function findSubject({ target, context, query }: Operation, fast?: FastPath): Promise<object> {
  const { type, id = '' } = target
  const key = type.codec.decode(id)
  if (key === undefined) return notFound(type, id)
  await context.unit.saveEntities()
  const subject = fast
    ? await fast.lock(type, key, context, query.needs.get(type))
    : await type.persister.load(type, key, context)
  return subject && isOfType(subject, type) ? subject : notFound(type, id)
}

/**
 * The parent of a related or relationship request: its key, the columns from which its members are read, and the values
 * that hooks need. It is not part of the graph. Throws RESOURCE_NOT_FOUND if there is none.
 */
export async function findParent(
  { target, query, context }: Operation,
  options: ReadOptions = { addressed: true },
): Promise<Row> {
  const { type, relation, id = '' } = target
  const key = type.codec.decode(id)
  if (key === undefined) return notFound(type, id)
  const selected = keyQuery(type, query.needs.get(type), relation)
  const parent = await type.provider.one(type, key, selected, context, options)
  const isFound = parent && (options.justWritten || isOfType(parent, type))
  return isFound ? parent : notFound(type, id)
}

/** Throws RESOURCE_NOT_FOUND. */
export function notFound({ name }: ResourceType, id: string): never {
  throw resourceNotFound({ type: name, id })
}

/** Throws RELATIONSHIP_NOT_EXISTS if the relation is hidden from the requester, or by the values of the parent. */
export function checkShown({ target, query, context }: Operation, parent: Row): void {
  const { relation } = target
  if (!relation || !(query.visibility?.hides(relation) || isHiddenFrom(relation, parent, context))) return
  throw relationshipMissing(target, relation.segment)
}
