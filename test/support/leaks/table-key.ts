import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import type { ResourceType } from '#kernel'
import type { App } from '#kernel/plugin'
import { formulaSql, quote } from '#store/sql/compiler.ts'
import { managerOf } from './manager.ts'

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

export async function tableOf(app: App, { entity, id }: ResourceType): Promise<TableKey> {
  const meta = (await managerOf(app)).getMetadata().get(entity) as EntityMetadata
  const { fieldNames, formula } = meta.properties[id.property as never] as EntityProperty
  if (formula) return { table: meta.tableName, column: computedKey, key: formulaSql(meta, formula, 't') }
  const [column = ''] = fieldNames
  return { table: meta.tableName, column, key: `t.${quote(column)}` }
}

/** Returns the types with rows in the database. */
export function storedTypes({ registry }: App): ResourceType[] {
  return [...registry.types.values()].filter(({ isStandalone }) => !isStandalone)
}
