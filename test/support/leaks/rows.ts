import type { EntityManager } from '@mikro-orm/core'
import type { ResourceType } from '#kernel'
import { markDirty } from '../app.ts'
import { testDatabase } from '../database.ts'
import { sampleOf as sampleValue } from '../sample.ts'

type Row = Record<string, unknown>

/** The keys of all rows of a type, in order. */
export async function keysOf(type: ResourceType): Promise<unknown[]> {
  const { table, column } = await placeOf(type)
  return (await execute(`select "${column}" as key from "${table}" order by 1`)).map(({ key }) => key)
}

/** Removes rows and all that refers to them, so that nothing is left that could tell of them. */
export async function eraseRows(type: ResourceType, keys: readonly unknown[]): Promise<void> {
  markDirty()
  const { table, column } = await placeOf(type)
  const list = keys.map((key) => `'${key}'`).join(', ')
  for (const reference of await referencesTo(table)) {
    const which = `"${reference.column}" in (${list})`
    if (reference.required) await execute(`delete from "${reference.table}" where ${which}`)
    else await execute(`update "${reference.table}" set "${reference.column}" = null where ${which}`)
  }
  // Triggers remove pairs of type and id; here they stay, and lead nowhere, as they do for one who cannot see the row.
  await execute(`alter table "${table}" disable trigger user`)
  await execute(`delete from "${table}" where "${column}" in (${list})`)
  await execute(`alter table "${table}" enable trigger user`)
}

/** A new resource that is in order, as far as its declaration tells. */
export function sampleOf({ name, attributes, id }: ResourceType, n = 1) {
  const required = attributes.filter(({ options }) => options.rules?.required)
  return {
    type: name,
    ...(id.clientId === 'required' && { id: 'sample' }),
    attributes: Object.fromEntries(required.map((attribute) => [attribute.name, sampleValue(attribute, n)])),
  }
}

/** Foreign keys that lead to a table. */
function referencesTo(table: string): Promise<Row[]> {
  return execute(
    `select r.relname as table, a.attname as column, a.attnotnull as required
     from pg_constraint c join pg_class r on r.oid = c.conrelid
       join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
     where c.contype = 'f' and c.confrelid = '"${table}"'::regclass`,
  )
}

async function placeOf({ entity, id }: ResourceType): Promise<{ table: string; column: string }> {
  const meta = (await manager()).getMetadata().get(entity)
  const { fieldNames } = meta.properties[id.property as never] as { fieldNames: string[] }
  return { table: meta.tableName, column: fieldNames[0] as string }
}

async function execute(sql: string): Promise<Row[]> {
  return (await manager()).getConnection().execute(sql)
}

async function manager(): Promise<EntityManager & { getConnection(): { execute(sql: string): Promise<Row[]> } }> {
  return (await testDatabase()).orm.em.fork() as never
}
