import type { Awaitable } from '../lib/awaitable.ts'
import type { Context } from '../model/context.ts'
import type { Row } from '../model/field.ts'
import type { Member } from '../model/graph.ts'
import type { ReadOptions } from '../model/provider.ts'
import { addNeeds, createQuery, type Page, type Query } from '../model/query.ts'
import type { ResourceType } from '../model/resource-type.ts'
import { takeResources } from './document-budget.ts'

// Reading into the graph. The number of statements depends on the query, never on the number of rows.

export async function loadOne(
  type: ResourceType,
  key: unknown,
  query: Query,
  context: Context,
  options?: ReadOptions,
): Promise<Row | null> {
  const row = key === undefined ? null : await type.provider.one(type, key, query, context, options)
  if (!row) return null
  const { graph } = context
  const before = graph.size
  const member = graph.member(type, row)
  takeResources(graph.size - before, query, context)
  if (type.provider.complete && member.record === row) await complete([member], query, context)
  return member.record
}

/** The rows of all these keys, in their order; null where there is none. */
export async function loadMany(
  type: ResourceType,
  keys: readonly unknown[],
  query: Query,
  context: Context,
  options?: ReadOptions,
): Promise<(Row | null)[]> {
  const rows = await type.provider.many(type, keys, query, context, options)
  const { graph } = context
  const before = graph.size
  const members = rows.map((row) => graph.member(type, row))
  takeResources(graph.size - before, query, context)
  await complete(freshOf(members, rows), query, context)
  const byKey = new Map(members.map(({ record }) => [String(record[type.id.property]), record]))
  return keys.map((key) => byKey.get(String(key)) ?? null)
}

/**
 * Named properties and paths of rows that the operation may work with already, whatever their scope, in the order of the
 * keys. Nothing of them is rendered.
 */
export async function loadRecords(
  type: ResourceType,
  keys: readonly unknown[],
  names: readonly string[],
  context: Context,
): Promise<(Row | null)[]> {
  const query = createQuery({ type })
  query.fields = new Map([[type.name, new Set()]])
  addNeeds(query, type, names)
  const rows = await type.provider.many(type, keys, query, context, { justWritten: true })
  const byKey = new Map(rows.map((row) => [String(row[type.id.property]), row]))
  return keys.map((key) => byKey.get(String(key)) ?? null)
}

/** The members of a collection that was read. */
export function present(
  type: ResourceType,
  { records }: Page,
  query: Query,
  context: Context,
): Awaitable<readonly Member[]> {
  const { graph } = context
  const before = graph.size
  const members = graph.present(type, records)
  takeResources(graph.size - before, query, context)
  if (!type.provider.complete) return members
  return complete(freshOf(members, records), query, context).then(() => members)
}

/** Those that were not seen before. */
export function freshOf(members: readonly Member[], rows: readonly Row[]): Member[] {
  return members.filter(({ record }, index) => record === rows[index])
}

/** What their rows lack is filled in, for all of a type at once. */
export async function complete(fresh: readonly Member[], query: Query, context: Context): Promise<void> {
  for (const type of typesOf(fresh)) await type.provider.complete?.(type, recordsOf(fresh, type), query, context)
}

/** Several only where something polymorphic led to them. */
export function typesOf(members: readonly Member[]): readonly ResourceType[] {
  const types: ResourceType[] = []
  for (const { type } of members) if (type !== types.at(-1) && !types.includes(type)) types.push(type)
  return types
}

export function recordsOf(members: readonly Member[], type: ResourceType): Row[] {
  const records: Row[] = []
  for (const member of members) if (member.type === type) records.push(member.record)
  return records
}
