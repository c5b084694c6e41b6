import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import type { ResourceType } from '#kernel'
import type { App } from '#kernel/plugin'
import { sampleOf as sampleValue } from '../sample.ts'
import { changedTables, execute, managerOf, readTables, restoreTables } from './tables.ts'

type Row = Record<string, unknown>

/** Returns the keys of all rows of a type, in order. */
export async function keysOf(app: App, type: ResourceType): Promise<unknown[]> {
  const { table, column } = await tableOf(app, type)
  return (await execute(app, `select "${column}" as key from "${table}" order by 1`)).map(({ key }) => key)
}

/** Returns the keys of all rows by type, with one statement. */
export async function allKeys(app: App, types: readonly ResourceType[]): Promise<Map<ResourceType, unknown[]>> {
  const tables = await readTables(app)
  const keys = new Map<ResourceType, unknown[]>()
  for (const type of types) {
    const { table, column } = await tableOf(app, type)
    const rows = (tables.get(table) ?? []).map((line) => JSON.parse(line)[column])
    keys.set(
      type,
      rows.toSorted((one, other) => (one < other ? -1 : 1)),
    )
  }
  return keys
}

/**
 * Runs the callback while rows of a type and all references to them are deleted from the database. A required column
 * that refers to one of them is null meanwhile; join table rows are deleted.
 */
export async function withoutRows<T>(
  app: App,
  type: ResourceType,
  keys: readonly unknown[],
  callback: () => Promise<T>,
): Promise<T> {
  const before = await readTables(app)
  const required = await eraseRows(app, type, keys)
  try {
    return await callback()
  } finally {
    await restoreTables(app, before, changedTables(before, await readTables(app)))
    for (const { table, column } of required) {
      await execute(app, `alter table "${table}" alter column "${column}" set not null`)
    }
  }
}

/** Deletes the rows and returns the columns that are no longer `not null`. */
async function eraseRows(app: App, type: ResourceType, keys: readonly unknown[]): Promise<readonly Row[]> {
  const { table, column } = await tableOf(app, type)
  const list = keys.map((key) => `'${key}'`).join(', ')
  const ofTypes = await tablesOfTypes(app)
  const required: Row[] = []
  for (const reference of await referencesTo(app, table)) {
    const which = `"${reference.column}" in (${list})`
    if (!ofTypes.has(String(reference.table))) {
      await execute(app, `delete from "${reference.table}" where ${which}`)
      continue
    }
    if (reference.required) {
      required.push(reference)
      await execute(app, `alter table "${reference.table}" alter column "${reference.column}" drop not null`)
    }
    await execute(app, `update "${reference.table}" set "${reference.column}" = null where ${which}`)
  }
  // Polymorphic references stay and lead to no row, as they do for a caller principal cannot see the row.
  await execute(app, `alter table "${table}" disable trigger user`)
  await execute(app, `delete from "${table}" where "${column}" in (${list})`)
  await execute(app, `alter table "${table}" enable trigger user`)
  return required
}

/** Soft-deletes rows of a type, or restores them. */
export async function setTrashed(app: App, type: ResourceType, keys: readonly unknown[], isTrashed: boolean) {
  const { softDeletes } = type.declaration
  const property = typeof softDeletes === 'object' ? softDeletes.property : 'deletedAt'
  const { table, column } = await tableOf(app, type)
  const list = keys.map((key) => `'${key}'`).join(', ')
  const time = type.shape.properties.get(property)?.column
  await execute(app, `update "${table}" set "${time}" = ${isTrashed ? 'now()' : 'null'} where "${column}" in (${list})`)
}

/** Returns a new resource that is valid by its declaration. */
export function sampleOf({ name, attributes, id }: ResourceType, n = 1) {
  const required = attributes.filter(({ options }) => options.rules?.required)
  return {
    type: name,
    ...(id.clientId === 'required' && { id: 'sample' }),
    attributes: Object.fromEntries(required.map((attribute) => [attribute.name, sampleValue(attribute, n)])),
  }
}

/** Returns the foreign keys that refer to a table. */
function referencesTo(app: App, table: string): Promise<Row[]> {
  return execute(
    app,
    `select r.relname as table, a.attname as column, a.attnotnull as required
     from pg_constraint c join pg_class r on r.oid = c.conrelid
       join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
     where c.contype = 'f' and c.confrelid = '"${table}"'::regclass`,
  )
}

/** Returns the tables whose rows are resources, as opposed to join tables. */
async function tablesOfTypes(app: App): Promise<ReadonlySet<string>> {
  const stored = [...app.registry.types.values()].filter(({ isStandalone }) => !isStandalone)
  return new Set(await Promise.all(stored.map(async (type) => (await tableOf(app, type)).table)))
}

/** The table and key column of a type. */
export interface TableKey {
  readonly table: string
  /** The column of the key. */
  readonly column: string
}

export async function tableOf(app: App, { entity, id }: ResourceType): Promise<TableKey> {
  const meta = (await managerOf(app)).getMetadata().get(entity) as EntityMetadata
  const { fieldNames } = meta.properties[id.property as never] as EntityProperty
  return { table: meta.tableName, column: fieldNames[0] as string }
}

/** Returns the tables in which the database changes rows when a row of the type is deleted. */
export async function cascadesOf(app: App, type: ResourceType): Promise<ReadonlySet<string>> {
  const { table } = await tableOf(app, type)
  const found = await execute(
    app,
    `with recursive reached(oid) as (
       select '"${table}"'::regclass::oid
       union select c.conrelid from pg_constraint c join reached on c.confrelid = reached.oid
         where c.contype = 'f' and c.confdeltype in ('c', 'n', 'd')
     ) select relname as name from pg_class join reached on reached.oid = pg_class.oid where relname <> '${table}'`,
  )
  return new Set(found.map(({ name }) => String(name)))
}
