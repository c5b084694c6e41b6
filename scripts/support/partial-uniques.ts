import type { ResourceType } from '#kernel'
import type { App } from '#kernel/plugin'
import type { Orm } from '#store'
import type { Catalog, UniqueIndex } from './catalog.ts'
import type { MissingIndex } from './missing-indexes.ts'

/**
 * Partial unique indexes that types with soft deletes lack: for an index that counts trashed rows as well, and for a
 * `uniqueEntity()` that no index enforces.
 */
export function missingPartialUniques(app: App, orm: Orm, { uniqueIndexes }: Catalog): MissingIndex[] {
  const missing = [...app.registry.types.values()].flatMap((type) => {
    const column = trashColumn(type)
    if (column === null) return []
    const { tableName: table } = orm.getMetadata().get(type.entity)
    const indexes = uniqueIndexes.filter((index) => index.table === table)
    return [...completeIndexes(type, column, indexes), ...unindexedRules(type, { table, column }, indexes)]
  })
  // Types of the same table have the same findings.
  return [...new Map(missing.map((index) => [index.create, index])).values()]
}

/** The column that is null for rows that are not trashed. Null if the type has no soft deletes. */
function trashColumn({ uniqueAmong, shape }: ResourceType): string | null {
  return uniqueAmong?.kind === 'null' ? (shape.properties.get(uniqueAmong.property)?.column ?? null) : null
}

/** Indexes that reject a value which only a trashed row has. */
function completeIndexes({ name: type }: ResourceType, column: string, indexes: readonly UniqueIndex[]) {
  return indexes
    .filter(({ predicate }) => predicate === null)
    .map(({ table, name, keys, isConstraint }) => {
      const isReplaced = indexes.some(
        (other) => isSame(other.keys, keys) && other.predicate?.replace(/[()"]/g, '') === `${column} IS NULL`,
      )
      const drop = isConstraint
        ? `alter table ${quote(table)} drop constraint ${quote(name)}`
        : `drop index ${quote(name)}`
      const create = isReplaced ? drop : `${drop}; ${createUnique({ table, column }, keys)}`
      return { usedBy: `${type}: ${name} counts trashed rows`, create }
    })
}

function unindexedRules({ name, uniques, shape }: ResourceType, trash: TrashColumn, indexes: readonly UniqueIndex[]) {
  return uniques
    .map((properties) => properties.map((property) => shape.properties.get(property)?.column ?? property))
    .filter((columns) => !indexes.some(({ keys }) => isSame(keys, columns)))
    .map((columns) => ({
      usedBy: `${name}: uniqueEntity() of ${columns.join(', ')}`,
      create: createUnique(trash, columns.map(quote)),
    }))
}

interface TrashColumn {
  readonly table: string
  readonly column: string
}

function createUnique({ table, column }: TrashColumn, keys: readonly string[]): string {
  return `create unique index on ${quote(table)} (${keys.join(', ')}) where ${quote(column)} is null`
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  const normalize = (keys: readonly string[]) => keys.map((key) => key.replaceAll('"', '')).toSorted()
  return normalize(one).join() === normalize(other).join()
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
