import { relationshipMissing } from '../contract/missing-relationship.ts'
import type { Operation } from '../contract/operation.ts'
import type { ReadOptions } from '../data/provider.ts'
import { resourceNotFound } from '../errors/core-errors.ts'
import { toApiErrors } from '../errors/errors.ts'
import { findWriter } from '../plan/writer.ts'
import { keyQuery } from '../read/key-query.ts'
import { isHiddenFrom } from '../read/load-relation.ts'
import type { Row } from '../schema/field.ts'
import { isOfType, type ResourceType } from '../schema/resource-type.ts'

/**
 * The subject of a write, locked: a row, or an entity if rows of the type are written as entities. Throws RESOURCE_NOT_FOUND
 * if there is none.
 */
export async function lockSubject(operation: Operation): Promise<object> {
  const { target, context, query } = operation
  const { type } = target
  const { statements } = findWriter(context.app, type)
  if (!statements) return findSubject(operation)
  const key = subjectKey(operation)
  // Changes that hooks have made to its entity would be discarded.
  if (context.unit.hasEntities) await context.unit.saveEntities()
  return requireSubject(operation, await statements.lock(type, key, context, query.needs.get(type)))
}

/**
 * The subject of a write as an entity, locked. Changes that hooks have made to it are saved before, because they would be
 * discarded. Throws RESOURCE_NOT_FOUND if there is none.
 */
export async function findSubject(operation: Operation): Promise<object> {
  const { target, context } = operation
  const key = subjectKey(operation)
  await context.unit.saveEntities()
  return requireSubject(operation, await target.type.persister.load(target.type, key, context))
}

/** The key in the URL. Throws RESOURCE_NOT_FOUND if no row can have it. */
export function subjectKey({ target: { type, id = '' } }: Operation): unknown {
  return type.codec.decode(id) ?? notFound(type, id)
}

function requireSubject({ target: { type, id = '' } }: Operation, subject: object | null): object {
  return subject && isOfType(subject, type) ? subject : notFound(type, id)
}

/**
 * The error of a check of a write whose subject was not read: RESOURCE_NOT_FOUND if the subject does not exist for the
 * requester, because that is checked first.
 */
export async function subjectError(operation: Operation, error: unknown): Promise<unknown> {
  const [missing] = await findParent(operation).then(() => [], toApiErrors)
  return missing ?? error
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
