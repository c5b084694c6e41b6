import type { EntityProperty } from '@mikro-orm/core'
import type { Context, Row } from '#kernel/store'
import { readable } from '../sql/column-types.ts'
import { quoteIdentifier } from '../sql/columns/column-sql.ts'
import { isInlined, toEntityForm } from '../sql/columns/embedded.ts'
import { type Compiler, metaOf, propertyOf, type RowsOfEntity } from '../sql/compiler.ts'
import { emOf, unitOf } from '../unit.ts'

export interface LockedRow {
  readonly entity: Row
  /** Selected columns that are not properties of the entity; their names begin with `#`. */
  readonly extra: Row
}

interface RowLock {
  readonly compiler: Compiler
  readonly of: RowsOfEntity
  readonly alias: string
  readonly where: string
  readonly extraColumns?: readonly string[]
}

/**
 * Locks rows against lost updates and adds them to the unit of work, by one statement. Locks in the order of the keys, so
 * that two transactions which lock the same rows do not deadlock. `no key`: other rows may still refer to a locked row.
 */
export async function lockRows(lock: RowLock, context: Context): Promise<LockedRow[]> {
  const { compiler, of, alias, where, extraColumns = [] } = lock
  const columns = [...rowColumns(compiler, of, alias), ...extraColumns].join(', ')
  const keys = compiler.keys(of).map((key) => compiler.column(of, key, alias))
  const source = `${compiler.table(of)} ${alias} where ${where} order by ${keys.join(', ')}`
  const text = `select ${columns} from ${source} for no key update of ${alias}`
  await compiler.unit.saveEntities() // the rows replace the values of entities
  const rows = await compiler.run(text)
  const em = emOf(context)
  return rows.map((row) => {
    const [properties, extra] = splitColumns(row)
    return { entity: em.map(of.entity, properties as never) as Row, extra }
  })
}

function splitColumns(row: Row): [properties: Row, extra: Row] {
  const properties: Row = {}
  const extra: Row = {}
  for (const [name, value] of Object.entries(row)) (name.startsWith('#') ? extra : properties)[name] = value
  return [properties, extra]
}

/** The columns and formulas of the row itself, without to-ones that are mapped from the other side. */
export function rowColumns(compiler: Compiler, of: RowsOfEntity, alias: string): string[] {
  const platform = compiler.platform
  return compiler
    .meta(of)
    .props.filter(isStored)
    .filter(({ lazy, kind, owner }) => !lazy && kind !== '1:m' && kind !== 'm:n' && (kind !== '1:1' || owner))
    .map((property) => {
      const column = compiler.column(of, property.name, alias)
      return `${readable(column, property, platform)} as ${quoteIdentifier(property.fieldNames[0] as string)}`
    })
}

function isStored(property: EntityProperty): boolean {
  const { kind, persist, formula, fieldNames } = property
  if (persist === false && !(formula && kind === 'scalar')) return false
  return fieldNames?.length === 1 && !isInlined(property)
}

/** Converts numbers of a document to the type of the property: a bigint, or a decimal that is kept as text. */
export function toEntityValue(rows: RowsOfEntity, property: string, value: unknown, context: Context): unknown {
  return toEntityForm(propertyOf(metaOf(rows, unitOf(context).orm), property), value)
}
