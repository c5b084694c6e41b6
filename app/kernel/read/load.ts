import type { Context } from '../data/context.ts'
import type { Member } from '../data/graph.ts'
import type { ReadOptions } from '../data/provider.ts'
import type { Page, Query } from '../data/query.ts'
import { type Awaitable, isThenable } from '../lib/awaitable.ts'
import type { Row } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { keyQuery } from './key-query.ts'

/** Reads a row into the graph. Null if the key has no visible row. */
export async function loadOne(
  type: ResourceType,
  key: unknown,
  query: Query,
  context: Context,
  options?: ReadOptions,
): Promise<Row | null> {
  const row = key === undefined ? null : await type.provider.one(type, key, query, context, options)
  if (!row) return null
  const added = addRows(type, [row], query, context)
  const [member] = isThenable(added) ? await added : added
  return (member as Member).record
}

/**
 * Reads properties and dotted paths of rows, in the order of their keys, without adding them to the graph. Ignores
 * scopes, because the operation already has access to the rows. The result must not be rendered.
 */
export async function loadRecords(
  type: ResourceType,
  keys: readonly unknown[],
  names: readonly string[],
  context: Context,
): Promise<(Row | null)[]> {
  const rows = await type.provider.many(type, keys, keyQuery(type, names), context, { justWritten: true })
  return sortByKeys(keys, type, rows)
}

function sortByKeys(keys: readonly unknown[], type: ResourceType, rows: readonly Row[]): (Row | null)[] {
  const rowsByKey = new Map(rows.map((row) => [String(row[type.id.property]), row]))
  return keys.map((key) => rowsByKey.get(String(key)) ?? null)
}

/** Adds rows of one type to the graph and returns their members. */
export function addRows(
  type: ResourceType,
  rows: readonly Row[],
  query: Query,
  context: Context,
): Awaitable<readonly Member[]> {
  const { graph, budget } = context
  const sizeBefore = graph.size
  const members = graph.addCollection(type, rows)
  budget.resources -= graph.size - sizeBefore
  if (budget.resources < 0) throw budget.toError({ counted: 'resources', query, context })
  if (!type.provider.complete) return members
  return completeRows(newMembers([members], [{ records: rows }]), query, context).then(() => members)
}

/** Selects the members of pages whose rows were not in the graph before. */
export function newMembers(members: readonly (readonly Member[])[], pages: readonly Pick<Page, 'records'>[]): Member[] {
  const added: Member[] = []
  for (const [page, { records }] of pages.entries()) {
    for (const [index, member] of (members[page] ?? []).entries())
      if (member.record === records[index]) added.push(member)
  }
  return added
}

/** Lets the provider of each type complete the rows of new members. */
export async function completeRows(members: readonly Member[], query: Query, context: Context): Promise<void> {
  const types = new Set<ResourceType>()
  for (const { type } of members) types.add(type)
  for (const type of types) {
    const { provider } = type
    if (provider.complete) await provider.complete(type, listRecords(members, type), query, context)
  }
}

export function listRecords(members: readonly Member[], type: ResourceType): Row[] {
  const records: Row[] = []
  for (const member of members) if (member.type === type) records.push(member.record)
  return records
}
