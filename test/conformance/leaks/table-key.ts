import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import type { ResourceType } from '#kernel'
import type { App } from '#kernel/plugin'
import { columnSql } from '#store/sql/columns/column-sql.ts'
import { readManager } from './manager.ts'

/** The table, or the view, of a type and the key of its rows. */
export interface TableKey {
  readonly table: string
  /** The member with the key in a row of `readTables`. */
  readonly column: string
  /** The SQL of the key in a statement whose table has the alias `t`. */
  readonly key: string
}

/** The member of a row with a key that is computed from several columns. */
export const computedKey = 'computed key'

export async function readTableKey(app: App, { entity, id }: ResourceType): Promise<TableKey> {
  const manager = await readManager(app)
  const meta = manager.getMetadata().get(entity) as EntityMetadata
  const property = meta.properties[id.property as never] as EntityProperty
  const column = property.formula ? computedKey : (property.fieldNames[0] as string)
  return { table: meta.tableName, column, key: columnSql(meta, property, 't', manager.getPlatform()) }
}

/** Returns the types with rows in the database. */
export function storedTypes({ registry }: App): ResourceType[] {
  return [...registry.types.values()].filter(({ isStandalone }) => !isStandalone)
}
