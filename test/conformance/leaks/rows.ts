import type { EntityMetadata } from '@mikro-orm/core'
import type { ResourceType } from '#kernel'
import type { App } from '#kernel/plugin'
import { quoteIdentifier } from '#store/sql/columns/column-sql.ts'
import { softDeletesKey } from '../plugin-options.ts'
import { sampleId, sampleValue } from '../sample.ts'
import { execute, executeUnchecked, literal, readManager } from './manager.ts'
import { makeNullable } from './nullable-columns.ts'
import { readTableKey, storedTypes } from './table-key.ts'
import { changedTables, readTables, restoreTables } from './tables.ts'

/** Returns the keys of all rows of a type, in order. */
export async function readKeys(app: App, type: ResourceType): Promise<unknown[]> {
  return (await allKeys(app, [type])).get(type) ?? []
}

/** Returns the keys of all rows by type, with one statement. */
export async function allKeys(app: App, types: readonly ResourceType[]): Promise<Map<ResourceType, unknown[]>> {
  const selects = types.map(async (type, index) => {
    const { table, key } = await readTableKey(app, type)
    return `select ${index} as type, (select json_agg(${key} order by ${key}) from ${quoteIdentifier(table)} t)::text as keys`
  })
  const found = types.length === 0 ? [] : await execute(app, (await Promise.all(selects)).join(' union all '))
  return new Map(
    found.map(({ type: index, keys }) => {
      const type = types[Number(index)] as ResourceType
      const { parse } = type.shape.properties.get(type.id.property) ?? {}
      const values: unknown[] = JSON.parse(String(keys)) ?? []
      return [type, values.map((value) => parse?.(String(value)) ?? value)]
    }),
  )
}

/**
 * Runs the callback while rows of a type and all references to them are deleted from the database. The column of a relation to one
 * of them is null meanwhile; join table rows are deleted. Other references stay and lead to no row, as they do for a caller that
 * cannot see the row: attributes, keys, polymorphic relations, columns whose checks null might violate.
 */
export async function withoutRows<T>(
  app: App,
  type: ResourceType,
  keys: readonly unknown[],
  callback: () => Promise<T>,
): Promise<T> {
  const { table } = await readTableKey(app, type)
  const references = await referencesTo(app, table)
  const cleared = references.filter(({ action }) => action === 'clear')
  const before = await readTables(app)
  const restoreRules = await makeNullable(
    app,
    cleared.map(({ from, columns: [column = ''] }) => ({ table: from, column })),
  )
  try {
    await eraseRows(app, type, keys, references)
    return await callback()
  } finally {
    await restoreTables(app, before, changedTables(before, await readTables(app)))
    await restoreRules()
  }
}

async function eraseRows(
  app: App,
  type: ResourceType,
  keys: readonly unknown[],
  references: readonly Reference[],
): Promise<void> {
  const { table, key } = await readTableKey(app, type)
  const erased = `${key} in (${keys.map(literal).join(', ')})`
  const statements = references.flatMap(({ action, from, columns, targets }) => {
    const joined = columns.map(
      (column, index) => `r.${quoteIdentifier(column)} = t.${quoteIdentifier(targets[index] as string)}`,
    )
    const which = `where exists (select from ${quoteIdentifier(table)} t where ${[...joined, erased].join(' and ')})`
    if (action === 'delete') return [`delete from ${quoteIdentifier(from)} r ${which}`]
    return action === 'clear'
      ? [`update ${quoteIdentifier(from)} r set ${quoteIdentifier(columns[0] as string)} = null ${which}`]
      : []
  })
  await executeUnchecked(app, [...statements, `delete from ${quoteIdentifier(table)} t where ${erased}`])
}

/** Soft-deletes rows of a type, or restores them. */
export async function setTrashed(app: App, type: ResourceType, keys: readonly unknown[], isTrashed: boolean) {
  const softDeletes = softDeletesKey(type)
  const property = typeof softDeletes === 'object' ? softDeletes.property : 'deletedAt'
  const { table, column } = await readTableKey(app, type)
  const list = keys.map((key) => `'${key}'`).join(', ')
  const time = type.shape.properties.get(property)?.column
  await execute(app, `update "${table}" set "${time}" = ${isTrashed ? 'now()' : 'null'} where "${column}" in (${list})`)
}

/** Returns a new resource that is valid by its declaration. */
export function sampleResource(type: ResourceType, n = 1) {
  const required = type.attributes.filter(({ options }) => options.rules?.required)
  return {
    type: type.name,
    ...(type.id.clientId === 'required' && { id: sampleId(type, n) }),
    attributes: Object.fromEntries(required.map((attribute) => [attribute.name, sampleValue(attribute, n)])),
  }
}

/** A foreign key, and the change of its rows while the rows that it refers to are deleted. */
interface Reference {
  readonly from: string
  readonly columns: readonly string[]
  readonly targets: readonly string[]
  readonly action: 'delete' | 'clear' | 'keep'
}

/** Returns the foreign keys that refer to a table. Those of partitions are those of the partitioned table. */
async function referencesTo(app: App, table: string): Promise<Reference[]> {
  const namesOf = (numbers: string, relation: string) =>
    `(select json_agg(a.attname order by k.position) from unnest(${numbers}) with ordinality k (number, position)
       join pg_attribute a on a.attrelid = ${relation} and a.attnum = k.number)`
  const found = await execute(
    app,
    `select (select t.relname from pg_class t where t.oid = coalesce(pg_partition_root(r.oid), r.oid)) as from, ${namesOf('c.conkey', 'c.conrelid')} as columns,
       ${namesOf('c.confkey', 'c.confrelid')} as targets,
       exists (select from pg_constraint p
         where p.conrelid = c.conrelid and p.contype = 'p' and p.conkey && c.conkey) as "isKey",
       exists (select from pg_constraint p where p.conrelid = c.conrelid and p.contype = 'c' and p.conkey && c.conkey)
         or exists (select from pg_attribute a join pg_type o on o.oid = a.atttypid
           where a.attrelid = c.conrelid and a.attnum = any (c.conkey) and o.typtype = 'd') as "isChecked"
     from pg_constraint c join pg_class r on r.oid = c.conrelid
     where c.contype = 'f' and c.conparentid = 0 and c.confrelid = ${literal(quoteIdentifier(table))}::regclass`,
  )
  const relations = await relationColumns(app)
  const distinct = new Map(found.map((reference) => [JSON.stringify(reference), reference]))
  return (
    [...distinct.values()] as unknown as (Omit<Reference, 'action'> & { isKey: boolean; isChecked: boolean })[]
  ).map(({ isKey, isChecked, ...reference }) => {
    const columns = relations.get(reference.from)
    const isRelation = reference.columns.length === 1 && columns?.has(reference.columns[0] as string)
    const isNullable = isRelation && !isKey && !isChecked
    return { ...reference, action: columns === undefined ? 'delete' : isNullable ? 'clear' : 'keep' }
  })
}

/** Returns the columns of to-one relations that can be null, by table, for the tables whose rows are resources. */
async function relationColumns(app: App): Promise<Map<string, Set<string>>> {
  const metadata = (await readManager(app)).getMetadata()
  const columns = new Map<string, Set<string>>()
  for (const { entity } of storedTypes(app)) {
    const { tableName, props } = metadata.get(entity) as EntityMetadata
    const toOnes = props.filter(({ kind, generated }) => (kind === 'm:1' || kind === '1:1') && !generated)
    const names = toOnes.flatMap(({ fieldNames }) => fieldNames ?? [])
    columns.set(tableName, new Set([...(columns.get(tableName) ?? []), ...names]))
  }
  return columns
}

/** Returns the tables in which the database changes rows when a row of the type is deleted. */
export async function findCascades(app: App, type: ResourceType): Promise<ReadonlySet<string>> {
  const { table } = await readTableKey(app, type)
  const isChanging = `c.contype = 'f' and c.confdeltype in ('c', 'n', 'd')`
  const found = await execute(
    app,
    `with recursive changed(oid) as (
       select c.conrelid from pg_constraint c where c.confrelid = ${literal(quoteIdentifier(table))}::regclass and ${isChanging}
       union select c.conrelid from pg_constraint c join changed on c.confrelid = changed.oid where ${isChanging}
     ) select distinct t.relname as name from changed join pg_class t on t.oid = coalesce(pg_partition_root(changed.oid), changed.oid)`,
  )
  return new Set(found.map(({ name }) => String(name)))
}
