import type { EntityMetadata } from '@mikro-orm/core'
import type { ResourceType } from '#kernel'
import type { App } from '#kernel/plugin'
import { quoteIdentifier } from '#store/sql/columns/column-sql.ts'
import { softDeletesKey } from '../plugin-options.ts'
import { sampleId, sampleValue } from '../sample.ts'
import { execute, executeUnchecked, literal, readManager } from './manager.ts'
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
 * Runs the callback while rows of a type and all references to them are deleted from the database. A required column of a
 * relation to one of them is null meanwhile, and without its default, which may refer to one of them; join table rows are deleted. Other references stay and lead to no row, as
 * they do for a caller that cannot see the row: attributes, keys, polymorphic relations.
 */
export async function withoutRows<T>(
  app: App,
  type: ResourceType,
  keys: readonly unknown[],
  callback: () => Promise<T>,
): Promise<T> {
  const before = await readTables(app)
  const cleared = await eraseRows(app, type, keys)
  try {
    return await callback()
  } finally {
    await restoreTables(app, before, changedTables(before, await readTables(app)))
    for (const reference of cleared) {
      if (reference.isRequired) await alterColumn(app, reference, 'set not null')
      if (reference.default) await alterColumn(app, reference, `set default ${reference.default}`)
    }
  }
}

/** Deletes the rows and returns the columns of relations to them, which are no longer `not null` and have no default. */
async function eraseRows(app: App, type: ResourceType, keys: readonly unknown[]): Promise<readonly Reference[]> {
  const { table, key } = await readTableKey(app, type)
  const erased = `${key} in (${keys.map(literal).join(', ')})`
  const references = await referencesTo(app, table)
  const cleared = references.filter(({ action }) => action === 'clear')
  for (const reference of cleared) {
    if (reference.isRequired) await alterColumn(app, reference, 'drop not null')
    if (reference.default) await alterColumn(app, reference, 'drop default')
  }
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
  return cleared
}

async function alterColumn(app: App, { from, columns: [column = ''] }: Reference, change: string): Promise<void> {
  await execute(app, `alter table ${quoteIdentifier(from)} alter column ${quoteIdentifier(column)} ${change}`)
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
  readonly isRequired: boolean
  readonly default: string | null
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
       exists (select from pg_attribute a
         where a.attrelid = c.conrelid and a.attnum = c.conkey[1] and a.attnotnull) as "isRequired",
       (select pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d
         where d.adrelid = c.conrelid and d.adnum = c.conkey[1]) as "default",
       exists (select from pg_constraint p
         where p.conrelid = c.conrelid and p.contype = 'p' and p.conkey && c.conkey) as "isKey"
     from pg_constraint c join pg_class r on r.oid = c.conrelid
     where c.contype = 'f' and c.conparentid = 0 and c.confrelid = ${literal(quoteIdentifier(table))}::regclass`,
  )
  const relations = await relationColumns(app)
  const distinct = new Map(found.map((reference) => [JSON.stringify(reference), reference]))
  return ([...distinct.values()] as unknown as (Omit<Reference, 'action'> & { isKey: boolean })[]).map(
    ({ isKey, ...reference }) => {
      const columns = relations.get(reference.from)
      const isRelation = reference.columns.length === 1 && columns?.has(reference.columns[0] as string) && !isKey
      return { ...reference, action: columns === undefined ? 'delete' : isRelation ? 'clear' : 'keep' }
    },
  )
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
