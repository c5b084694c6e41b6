import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import type { Relation } from '#kernel'
import type { App } from '#kernel/plugin'
import { execute, readManager } from './manager.ts'
import { makeNullable } from './nullable-columns.ts'
import { findAssociation } from './protection.ts'
import { readTableKey } from './table-key.ts'
import { changedTables, readTables, restoreTables } from './tables.ts'

/** Runs the callback while a relation has no members for some parents. */
export async function withoutMembers<T>(
  app: App,
  relation: Relation,
  parents: readonly unknown[],
  callback: () => Promise<T>,
): Promise<T> {
  const before = await readTables(app)
  const list = parents.map((key) => `'${key}'`).join(', ')
  const { table, columns, parentColumn, isAssociation } = await readLink(app, relation)
  const which = `"${parentColumn}" in (${list})`
  const restoreRules = await makeNullable(app, isAssociation ? [] : columns.map((column) => ({ table, column })))
  try {
    const cleared = columns.map((column) => `"${column}" = null`).join(', ')
    await execute(
      app,
      isAssociation ? `delete from "${table}" where ${which}` : `update "${table}" set ${cleared} where ${which}`,
    )
    return await callback()
  } finally {
    await restoreTables(app, before, changedTables(before, await readTables(app)))
    await restoreRules()
  }
}

interface Link {
  readonly table: string
  /** The columns with the key of the member, or of the parent if the member has the foreign key. */
  readonly columns: readonly string[]
  /** The column that is compared with the keys of the parents. */
  readonly parentColumn: string
  readonly isAssociation: boolean
}

async function readLink(app: App, relation: Relation): Promise<Link> {
  const metadata = (await readManager(app)).getMetadata()
  const { owner, target, property, kind } = relation
  const meta = metadata.get(owner.entity) as EntityMetadata
  const prop = meta.properties[property as never] as EntityProperty
  if (kind === 'belongsTo' || kind === 'morphTo') {
    const { table, column } = await readTableKey(app, owner)
    return { table, columns: prop.fieldNames, parentColumn: column, isAssociation: false }
  }
  if (kind === 'hasMany' || kind === 'hasOne') {
    const back = (metadata.get(target.entity) as EntityMetadata).properties[prop.mappedBy as never] as EntityProperty
    const [parentColumn = ''] = back.fieldNames
    return {
      table: (await readTableKey(app, target)).table,
      columns: back.fieldNames,
      parentColumn,
      isAssociation: false,
    }
  }
  const [association] = findAssociation(metadata.getAll(), relation)
  const back = association?.props.find(({ targetMeta, discriminatorMap }) => !discriminatorMap && targetMeta === meta)
  const [parentColumn = ''] = back?.fieldNames ?? []
  return { table: association?.tableName ?? '', columns: [], parentColumn, isAssociation: true }
}
