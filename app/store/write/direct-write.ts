import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import type { ResourceType } from '#kernel/store'
import { recordConverter } from '../sql/column-types.ts'
import { quote, tableOf } from '../sql/compiler.ts'
import type { StoreUnit } from '../unit.ts'
import { castOf, type PlainRow } from './direct-row.ts'

/** A row that is to be made, or to be changed. */
export interface PlainWrite {
  readonly type: ResourceType
  readonly row: PlainRow
  /** Gets its key when a new row is made. */
  readonly entity: Record<string, unknown>
  readonly isNew: boolean
}

/** New rows with the same columns are made in one statement. */
export async function writePlainly(writes: readonly PlainWrite[], unit: StoreUnit): Promise<void> {
  const made = writes.filter(({ isNew }) => isNew)
  for (const group of Map.groupBy(made, shapeOf).values()) await insertRows(group, unit)
  for (const write of writes) if (!write.isNew && write.row.size > 0) await updateRow(write, unit)
}

/** Rows that consist of defaults are made one by one. */
function shapeOf(write: PlainWrite): unknown {
  const { type, row } = write
  return row.size > 0 ? `${type.name} ${[...row.keys()].map(({ name }) => name)}` : write
}

async function insertRows(group: readonly PlainWrite[], unit: StoreUnit): Promise<void> {
  const [{ type, row }] = group as [PlainWrite]
  const { key, table } = targetOf(type, unit)
  const properties = [...row.keys()]
  const columns = properties.map(columnOf).join(', ')
  const parameters = group.length === 1 ? [...row.values()] : properties.map((property) => listOf(group, property))
  const values = group.length === 1 ? `values (${properties.map(oneOf)})` : selectOf(properties)
  const what = properties.length > 0 ? `(${columns}) ${values}` : 'default values'
  const made = await unit.run(`insert into ${table} ${what} returning ${columnOf(key)} as "key"`, parameters)
  const convert = recordConverter(key, unit.orm.em.getPlatform())
  group.forEach(({ entity }, index) => {
    const written = made[index]?.key
    entity[type.id.property] = convert ? convert(written) : written
  })
}

async function updateRow({ type, row, entity }: PlainWrite, unit: StoreUnit): Promise<void> {
  const { key, table } = targetOf(type, unit)
  const changes = [...row.keys()].map((property, index) => `${columnOf(property)} = ${oneOf(property, index)}`)
  const isIt = `${columnOf(key)} = ${oneOf(key, row.size)}`
  await unit.run(`update ${table} set ${changes.join(', ')} where ${isIt}`, [...row.values(), entity[type.id.property]])
}

function targetOf({ entity, id }: ResourceType, { orm }: StoreUnit): { key: EntityProperty; table: string } {
  const meta = orm.getMetadata().get(entity) as EntityMetadata
  return { key: meta.properties[id.property as never] as EntityProperty, table: tableOf(meta) }
}

export function columnOf({ fieldNames }: EntityProperty): string {
  return quote(fieldNames[0] as string)
}

function oneOf(property: EntityProperty, index: number): string {
  return `$${index + 1}${castOf(property)}`
}

/** However many rows there are, the text stays the same. */
function selectOf(properties: readonly EntityProperty[]): string {
  const lists = properties.map((_, index) => `$${index + 1}::text[]`)
  const names = properties.map((_, index) => `c${index}`)
  const cells = properties.map((property, index) => `c${index}${castOf(property)}`)
  return `select ${cells.join(', ')} from unnest(${lists.join(', ')}) as r(${names.join(', ')})`
}

function listOf(group: readonly PlainWrite[], property: EntityProperty): (string | null)[] {
  return group.map(({ row }) => {
    const value = row.get(property)
    return value === null || value === undefined ? null : String(value)
  })
}
