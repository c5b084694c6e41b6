import {
  checkFound,
  checkInput,
  findMembers,
  type NamedLinkage,
  planOperation,
  toChanges,
  toNamedLinkage,
  writableInput,
} from '#kernel/operations'
import type { Input, Operation } from '#kernel/plugin'
import { createQuery } from '#kernel/queries'

/**
 * Checks the input of a create, and returns its values in a plain object instead of a row: attributes by property,
 * relations by name as `{ type, id, key }`, a list of them or null. Throws if a related resource does not exist for the
 * requester.
 */
export async function createInputObject(ofAction: Operation): Promise<Record<string, unknown>> {
  const { context, target } = ofAction
  // The plan of the action decides on the fields of the type that has the action.
  const operation = { ...ofAction, plan: planOperation(context.app, ofAction, createQuery(target)) }
  const input: Input = writableInput(operation)
  await checkInput(operation, input, null)
  const linkage = toNamedLinkage(input.linkage)
  checkFound(operation, linkage, await findMembers(operation, linkage))
  const { values, fills } = toChanges(operation, input, new Map(), null)
  const object = Object.fromEntries([...values, ...linkage.map((one) => [one.relation.name, toLinked(one)] as const)])
  for (const fill of fills) await fill(object)
  return object
}

function toLinked({ relation, members }: NamedLinkage): unknown {
  const linked = members.map(({ type, key, identifier: { id } }) => ({ type: type.name, id, key }))
  return relation.toMany ? linked : (linked[0] ?? null)
}
