import type { AddressedRow, ResourceType } from '#kernel/store'
import type { Compiler } from '../sql/compiler.ts'
import { rowVersion } from '../sql/row-version.ts'
import type { Slot, StatementBuilder } from '../sql/statement-builder.ts'
import { castText } from './encode-row.ts'

/** The row of a statement that updates or deletes it. */
interface Address {
  readonly row: AddressedRow
  readonly key: Slot<string>
  readonly versions: Slot<readonly string[]> | undefined
}

/** Adds the key of the row and the versions that it may have to a statement. */
export function addAddress(statement: StatementBuilder, row: AddressedRow): Address {
  const key = statement.add(row.subject ? 'locked' : 'addressed', String(row.key))
  return { row, key, versions: row.versions && statement.add('versions', row.versions) }
}

/** The conditions of the row: a locked one was found in scope before. */
export function hasAddress(compiler: Compiler, { row, key, versions }: Address, alias: string): string[] {
  const { type, subject } = row
  const hasKey = isKey(compiler, type, alias, compiler.bindSlot(key, 'text'))
  if (subject) return [hasKey]
  const conditions = [hasKey, ...compiler.filters(type, alias)]
  if (versions) conditions.push(`${rowVersion(compiler, type, alias)} = any(${compiler.bindSlot(versions, 'text[]')})`)
  return conditions
}

/** Compares the key of a row with a text. */
export function isKey(compiler: Compiler, type: ResourceType, alias: string, text: string): string {
  return `${compiler.key(type, alias)} = ${castText(text, compiler.property(type, type.id.property))}`
}
