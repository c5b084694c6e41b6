import type { App } from '../model/app.ts'
import { isUnrelatedAtFirst, type Relation } from '../model/field.ts'
import type { Input, Operation } from '../model/operation.ts'
import { scopeReadsRelations } from '../model/own-columns.ts'
import type { ApiResponse } from '../model/response.ts'
import { checkedHops, isKeyLinkage } from '../model/selection.ts'
import { servesTarget } from '../model/server.ts'
import { shownFields } from '../model/shown-fields.ts'
import { takeResources } from '../read/document-budget.ts'
import { noteLid } from './batch/local-ids.ts'
import { toChanges } from './input/hydrate.ts'
import { type NamedLinkage, nameMembers, toOnesIn } from './input/linkage.ts'
import { hasWriteHooks } from './observers.ts'
import { showWritten } from './read-back.ts'
import { checkWritten } from './written.ts'

/**
 * The answer to a write that one statement does: it looks whether what the row refers to is there, writes the row, and
 * shows it. Null when there is more to do, or something is missing, which is told elsewhere: then nothing is done.
 */
export async function writeSingleStatement(
  operation: Operation,
  input: Input,
  subject: object | null,
): Promise<ApiResponse | null> {
  const { target, context, query } = operation
  const { type } = target
  if (!type.persister.writeAtOnce || !isPlain(operation, input)) return null
  const toOne = toOnesIn(nameMembers(input.linkage))
  for (const related of toOne.values()) if (related && related.key === undefined) return null
  const isNew = subject === null
  const changes = toChanges(operation, input, toOne, subject)
  const isChecked = (await context.writeScope(type)) || context.app.hooksFor('onRowsWritten', type).length > 0
  const isAll = isNew && !isChecked && !context.batch && context.server.isUsual && showsNoOther(operation)
  const row = await type.persister.writeAtOnce(type, subject, changes, query, context, isAll)
  if (!row) return null
  const key = row[type.id.property]
  if (isNew) noteLid(operation, key)
  if (isChecked) await checkWritten(operation, type, [key], [row])
  takeResources(1, query, context)
  return showWritten(operation, context.graph.member(type, row).record, isNew)
}

/** Whether members were looked up and added by one statement. If not, nothing is done. */
export async function addInSingleStatement(
  { kind, target: { type }, context }: Operation,
  entity: object,
  [linkage]: readonly NamedLinkage[],
): Promise<boolean> {
  const { app } = context
  if (kind !== 'AddToRelationship' || !linkage || !type.persister.addAtOnce || hasWriteHooks(app, type)) return false
  const { relation, members } = linkage
  if (app.hooksFor('onLink', relation.target).length > 0) return false
  if (await scopeReadsRelations(relation.target, context)) return false
  if (!isPlainTarget(relation, app) || members.some(({ key }) => key === undefined)) return false
  return type.persister.addAtOnce(relation, entity, members, context)
}

/** Nobody looks at the row while it is written or read, and it refers to rows of which that is true. */
function isPlain({ target: { type }, context: { app } }: Operation, { linkage }: Input): boolean {
  if (type.provider !== app.store.provider || hasWriteHooks(app, type)) return false
  return linkage.every(({ relation }) => relation.kind === 'belongsTo' && isPlainTarget(relation, app))
}

/** Whether the store itself can tell which rows a relation may lead to. */
function isPlainTarget({ target }: Relation, { store }: App): boolean {
  return target.provider === store.provider && !target.declaration.typeOf && !target.checksEachRow
}

/** Whether the answer is made from the new row alone, and is not refused for its size. */
function showsNoOther({ target: { type }, query, context: { server, budget } }: Operation): boolean {
  const { include, counts, related } = query
  if (typeof include === 'function' || include.length > 0) return false
  if (counts.size > 0 || related.size > 0) return false
  const { relations, chained } = shownFields(type, query)
  if (relations.length > budget.identifiers) return false
  if (chained.some((attribute) => checkedHops(attribute, type).length > 0)) return false
  for (const relation of relations) {
    if (relation.linkage !== 'always' || !servesTarget(server, relation)) continue
    if (relation.guarded || !(isKeyLinkage(relation) || isUnrelatedAtFirst(relation))) return false
  }
  return true
}
