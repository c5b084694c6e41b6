import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import type { Relation, ResourceType } from '#kernel'
import type { App } from '#kernel/plugin'
import { readManager } from './manager.ts'
import { readTableKey } from './table-key.ts'
import type { Tables } from './tables.ts'

/** The part of a row and of its join table rows that a caller may not change. */
export interface Protection {
  /** `content`: no value may change; `existence`: it may be changed, not deleted; `none`: only its links are protected. */
  readonly row: 'content' | 'existence' | 'none'
  /** Whether its join table rows must stay unchanged. */
  readonly links: boolean
  /** The row may be deleted as a whole. */
  readonly mayVanish?: boolean
}

/** Returns the lines of the tables that must be the same before and after a request. */
export type ProtectedPart = (tables: Tables) => readonly string[]

/** A member of rows with keys; `discriminator` is set if the column has keys of several entities. */
interface KeyColumn {
  readonly table: string
  readonly column: string
  readonly discriminator?: { readonly column: string; readonly value: string }
}

/** Returns the rows of a type with these keys, and the join table rows that refer to them. */
export async function protectedPart(
  app: App,
  type: ResourceType,
  keys: readonly unknown[],
  { row, links }: Protection,
): Promise<ProtectedPart> {
  const texts = new Set(keys.map(String))
  const own = row === 'none' ? [] : [await readTableKey(app, type)]
  const columns = [...own, ...(links ? await linkColumns(app, type) : [])]
  return (tables) =>
    columns.flatMap((keyColumn) =>
      linesIn(tables, keyColumn, texts).map((line) => {
        const isExistence = row === 'existence' && keyColumn === own[0]
        return `${keyColumn.table} ${isExistence ? JSON.parse(line)[keyColumn.column] : line}`
      }),
    )
}

function linesIn(tables: Tables, { table, column, discriminator }: KeyColumn, keys: ReadonlySet<string>): string[] {
  return (tables.get(table) ?? []).filter((line) => {
    const values = JSON.parse(line)
    if (discriminator && values[discriminator.column] !== discriminator.value) return false
    return keys.has(String(values[column]))
  })
}

/** Returns the columns of join tables with keys of a type; tables that are resources themselves are excluded. */
async function linkColumns(app: App, type: ResourceType): Promise<KeyColumn[]> {
  const types = [...app.registry.types.values()].filter(({ isStandalone }) => !isStandalone)
  const ofTypes = new Set(await Promise.all(types.map(async (stored) => (await readTableKey(app, stored)).table)))
  const em = await readManager(app)
  const { root } = em.getMetadata().get(type.entity) as EntityMetadata
  const relations = types.flatMap(({ relations }) => relations).filter(({ toMany }) => toMany)
  const associations = new Set(relations.flatMap((relation) => findAssociation(em.getMetadata().getAll(), relation)))
  return [...associations]
    .filter(({ tableName }) => !ofTypes.has(tableName))
    .flatMap((meta) => meta.props.flatMap((property) => keyColumns(meta, property, type, root)))
}

/** Returns the entity of the join table of a relation; none if the member has the foreign key. */
export function findAssociation(metas: Iterable<unknown>, { kind, owner, property }: Relation): EntityMetadata[] {
  const all = [...(metas as Map<unknown, EntityMetadata>).values()]
  const prop = all.find((meta) => meta.class === owner.entity)?.properties[property as never] as
    | EntityProperty
    | undefined
  if (!prop || kind === 'hasMany') return []
  if (kind === 'morphToMany') return prop.targetMeta ? [prop.targetMeta] : []
  const owning = prop.owner ? prop : (prop.targetMeta?.properties[prop.mappedBy as never] as EntityProperty)
  return all.filter((meta) => meta.class === owning.pivotEntity || meta.className === String(owning.pivotEntity))
}

function keyColumns(
  { tableName: table }: EntityMetadata,
  { fieldNames = [], targetMeta, discriminatorMap }: EntityProperty,
  { entity }: ResourceType,
  root: EntityMetadata,
): KeyColumn[] {
  const [first = '', second = ''] = fieldNames
  if (discriminatorMap) {
    const value = Object.entries(discriminatorMap).find(([, candidate]) => (candidate as unknown) === entity)?.[0]
    return value === undefined ? [] : [{ table, column: second, discriminator: { column: first, value } }]
  }
  return targetMeta?.root === root ? [{ table, column: first }] : []
}
