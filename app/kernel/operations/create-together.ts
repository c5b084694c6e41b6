import { resourceNotFound } from '../core-errors.ts'
import { loadMany } from '../load.ts'
import { loadRelations } from '../load-relations.ts'
import type { Operation } from '../operation.ts'
import type { ApiResponse } from '../response.ts'
import { checkNew } from './create.ts'
import { takenInput, toChanges } from './hydrate.ts'
import { findAll, nameMembers, prepareLinkage, relate } from './linkage.ts'
import { noteLid } from './settle.ts'
import { checkRowChanges, checkWritten } from './written.ts'

/**
 * Creates of one type, in one context: each is checked, all are written and read back at once. Whoever gets an error
 * does them one by one, since it does not say whose it is.
 */
export async function createTogether(operations: readonly [Operation, ...Operation[]]): Promise<ApiResponse[]> {
  const [{ target, context, query }] = operations
  const { type } = target
  const inputs = operations.map(takenInput)
  for (const [index, operation] of operations.entries()) {
    if (await checkNew(operation, inputs[index] as never)) throw new Error('An answer was given early.')
  }
  const named = inputs.map(({ linkage }) => nameMembers(linkage))
  const found = await findAll(operations[0], named.flat())
  const made: { entity: object; relate: () => Promise<void> }[] = []
  let areUnrelated = true
  for (const [index, operation] of operations.entries()) {
    const input = inputs[index] as (typeof inputs)[number]
    const related = await prepareLinkage(operation, named[index] as (typeof named)[number], null, found)
    const entity = await type.persister.create(type, toChanges(operation, input, related.toOne, null), context)
    areUnrelated &&= related.changes.size === 0
    made.push({ entity, relate: () => relate(operation, entity, related) })
  }
  await type.persister.flush(type, context, made[0]?.entity as object)
  for (const one of made) await one.relate()

  const keys = made.map(({ entity }) => type.persister.keyOf(type, entity))
  for (const [index, operation] of operations.entries()) noteLid(operation, keys[index])
  await checkRowChanges(operations[0])
  const mark = await context.writeScope(type)
  const records = await loadMany(type, keys, query, context, { justWritten: true, ...(mark && { mark }) })
  await checkWritten(operations[0], type, keys, records)
  const data = records.map((record, index) => {
    if (!record) throw resourceNotFound({ type: type.name, id: type.codec.encode(keys[index]) })
    return { type, record }
  })
  await loadRelations(data, query, context, areUnrelated)
  return operations.map((operation, index) => ({
    kind: 'data',
    status: 201,
    operation,
    data: data[index] as (typeof data)[number],
  }))
}
