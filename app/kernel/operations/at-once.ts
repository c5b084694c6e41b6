import type { App } from '../app.ts'
import { takeResources } from '../document-budget.ts'
import { isUnrelatedAtFirst, type Relation } from '../fields/definition.ts'
import type { Input, Operation } from '../operation.ts'
import type { ApiResponse } from '../response.ts'
import { readsRecord, shownFields } from '../selection.ts'
import { servesTarget } from '../server.ts'
import { isWatched } from '../watching.ts'
import { toChanges } from './hydrate.ts'
import { type NamedLinkage, nameMembers, sortLinkage } from './linkage.ts'
import { showWritten } from './read-back.ts'
import { noteLid } from './settle.ts'

/**
 * The answer to a write that one statement does: it looks whether what the row refers to is there, writes the row, and
 * shows it. Null when there is more to do, or something is missing, which is told elsewhere: then nothing is done.
 */
export async function writeAtOnce(
  operation: Operation,
  input: Input,
  subject: object | null,
): Promise<ApiResponse | null> {
  const { target, context, query } = operation
  const { type } = target
  if (!type.persister.writeAtOnce || !isPlain(operation, input)) return null
  const { toOne } = sortLinkage(operation, nameMembers(input.linkage))
  for (const related of toOne.values()) if (related && related.key === undefined) return null
  const isNew = subject === null
  const changes = toChanges(operation, input, toOne, subject)
  const isAll = isNew && !context.batch && context.server.isUsual && showsNoOther(operation)
  const row = await type.persister.writeAtOnce(type, subject, changes, query, context, isAll)
  if (!row) return null
  if (isNew) noteLid(operation, row[type.id.property])
  takeResources(1, query, context)
  return showWritten(operation, context.graph.member(type, row).record, isNew)
}

/** Whether members were looked up and added by one statement. If not, nothing is done. */
export async function addAtOnce(
  { kind, target: { type }, context }: Operation,
  entity: object,
  [linkage]: readonly NamedLinkage[],
): Promise<boolean> {
  const { app } = context
  if (kind !== 'AddToRelationship' || !linkage || !type.persister.addAtOnce || isWatched(app, type)) return false
  const { relation, members } = linkage
  if (!isPlainTarget(relation, app) || members.some(({ key }) => key === undefined)) return false
  return type.persister.addAtOnce(relation, entity, members, context)
}

/** Nobody looks at the row while it is written or read, and it refers to rows of which that is true. */
function isPlain({ target: { type }, context: { app } }: Operation, { linkage }: Input): boolean {
  if (type.provider !== app.store.provider || isWatched(app, type)) return false
  return linkage.every(({ relation }) => relation.kind === 'belongsTo' && isPlainTarget(relation, app))
}

/** Whether the store itself can tell which rows a relation may lead to. */
function isPlainTarget({ target }: Relation, { store }: App): boolean {
  return target.provider === store.provider && !target.declaration.typeOf
}

/** Whether the answer is made from the new row alone, and is not refused for its size. */
function showsNoOther({ target: { type }, query, context: { server, budget } }: Operation): boolean {
  const { include, counts, related, fields } = query
  if (typeof include === 'function' || include.length > 0) return false
  if (counts.size > 0 || related.size > 0) return false
  const { relations } = shownFields(type, fields)
  if (relations.length > budget.identifiers) return false
  for (const relation of relations) {
    if (relation.linkage !== 'always' || !servesTarget(server, relation)) continue
    if (relation.guarded || !(isInRow(relation) || isUnrelatedAtFirst(relation))) return false
  }
  return true
}

function isInRow({ kind, target }: Relation): boolean {
  return kind === 'belongsTo' && !readsRecord(target)
}
