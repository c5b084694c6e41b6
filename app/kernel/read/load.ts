import type { Awaitable } from '../lib/awaitable.ts'
import type { Context } from '../model/context.ts'
import type { Row } from '../model/field.ts'
import type { Member } from '../model/graph.ts'
import type { ReadOptions } from '../model/provider.ts'
import { addNeeds, createQuery, type Page, type Query } from '../model/query.ts'
import type { ResourceType } from '../model/resource-type.ts'
import { takeResources } from './document-budget.ts'

// Reads rows into the graph. The number of statements depends on the query, not on the number of rows.

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
  if (type.provider.complete && member.record === row) await completeRows([member], query, context)
  return member.record
}

/** The rows of the keys in their order. Null for a key without a visible row. */
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
  await completeRows(newMembers(members, rows), query, context)
  const byKey = new Map(members.map(({ record }) => [String(record[type.id.property]), record]))
  return keys.map((key) => byKey.get(String(key)) ?? null)
}

/**
 * Reads properties and dotted paths of rows that the operation already has access to, so their scope is not applied. The
 * result has the order of the keys and is never rendered.
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

/** Adds a collection to the graph and returns its members. */
export function addCollection(
  type: ResourceType,
  { records }: Page,
  query: Query,
  context: Context,
): Awaitable<readonly Member[]> {
  const { graph } = context
  const before = graph.size
  const members = graph.addCollection(type, records)
  takeResources(graph.size - before, query, context)
  if (!type.provider.complete) return members
  return completeRows(newMembers(members, records), query, context).then(() => members)
}

/** The members whose rows were not in the graph before. */
export function newMembers(members: readonly Member[], rows: readonly Row[]): Member[] {
  return members.filter(({ record }, index) => record === rows[index])
}

/** Lets the provider of each type complete the rows of new members. */
export async function completeRows(added: readonly Member[], query: Query, context: Context): Promise<void> {
  for (const type of typesOf(added)) await type.provider.complete?.(type, recordsOf(added, type), query, context)
}

/** The distinct types of members: more than one only for polymorphic relations. */
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
