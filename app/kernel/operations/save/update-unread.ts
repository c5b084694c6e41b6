import { isNested } from '../../codecs/codecs.ts'
import { apiErrorsOf } from '../../errors/errors.ts'
import type { Relation, Row } from '../../model/field.ts'
import type { Input, Operation } from '../../model/operation.ts'
import type { FastPath } from '../../model/persister.ts'
import type { ApiResponse } from '../../model/response.ts'
import { isSingle } from '../../plan/query-plan.ts'
import { checkInput } from '../input/check-input.ts'
import { toChanges } from '../input/hydrate.ts'
import { type NamedLinkage, toNamedLinkage, toOnesIn } from '../input/linkage.ts'
import { checkGates } from '../input/relation-gates.ts'
import { readBack } from './read-back.ts'
import { addMembersFast, isAnsweredByRow, mayBeRefusedAfterWrite, writeAndReturn } from './save-resource.ts'

/**
 * Updates a row by one statement without reading it before. Undefined if a check needs the stored row, if the input has a
 * fault, or if no row is changed: it is missing, out of scope or has these values already. Nothing is written then, and
 * the update starts again with reading the row, which decides on the response.
 */
export async function updateUnread(
  operation: Operation,
  input: Input,
  fast: FastPath,
): Promise<ApiResponse | undefined> {
  const { id = '', type } = operation.target
  const key = type.codec.decode(id)
  if (key === undefined || needsStoredRow(operation)) return undefined
  if (type.attributes.some(isNested)) return undefined // children that are not sent keep their stored values
  if (!(await isAnsweredByRow(operation))) return undefined
  const linkage = await validLinkage(operation, input)
  if (!linkage) return undefined
  const row = await writeAndReturn({ operation, input, linkage, subject: null, key }, fast)
  return row && readBack(operation, key, row)
}

/**
 * Adds members of a many-to-many by one statement without reading the parent before. The statement commits by itself
 * if nothing can refuse the write afterwards and one more statement reads the response. Returns the parent with its key
 * only. Undefined for another write, if a check needs the stored row, or if the input has a fault; null if the members
 * cannot be added: the requester does not see the parent or a member. Nothing is written then, and the write starts again
 * with reading the parent.
 */
export async function addUnread(operation: Operation, input: Input, fast: FastPath): Promise<Row | null | undefined> {
  const { context, kind, query, target } = operation
  const { id = '', type } = target
  const relation = target.relation as Relation
  if (kind !== 'AddToRelationship' || relation.kind !== 'belongsToMany') return undefined
  const key = type.codec.decode(id)
  const mayBeHidden = typeof relation.hidden === 'function' || query.visibility?.hides(relation)
  if (key === undefined || mayBeHidden || needsStoredRow(operation)) return undefined
  const linkage = await validLinkage(operation, input)
  if (!linkage) return undefined
  const isReadByOne = isSingle(context.app, { kind: 'FetchRelationship', target, server: context.server }, query)
  const isOnlyStatement = isReadByOne && !(await mayBeRefusedAfterWrite(operation))
  const isAdded = await addMembersFast(operation, key, linkage, fast, isOnlyStatement)
  return isAdded ? { [type.id.property]: key } : null
}

function needsStoredRow({ target, plan, preconditions }: Operation): boolean {
  return preconditions !== undefined || target.type.declaration.typeOf !== undefined || plan.readsSubject
}

/**
 * Checks the input and returns its linkage. Null if it has a fault, which is not reported here: that the row is missing
 * would be reported first.
 */
async function validLinkage(operation: Operation, input: Input): Promise<readonly NamedLinkage[] | null> {
  try {
    checkGates(operation, input.linkage, null)
    await checkInput(operation, input, null)
    const linkage = toNamedLinkage(input.linkage)
    toChanges(operation, input, toOnesIn(linkage), null)
    return linkage
  } catch (error) {
    if (apiErrorsOf(error).length > 0) return null
    throw error
  }
}
