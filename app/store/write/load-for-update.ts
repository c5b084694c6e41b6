import {
  compare,
  getOrCreate,
  type Persister,
  type ResourceType,
  type Selection,
  type StatementWriter,
  selectNames,
  wholeRow,
} from '#kernel/store'
import { runStatement } from '../sql/run-statement.ts'
import { convertRows } from '../sql/select.ts'
import { selectText, typesRead } from '../sql/select-rows.ts'
import { createStatement } from '../sql/statement-builder.ts'
import { emOf } from '../unit.ts'
import { rowColumns } from './lock-rows.ts'

/** Locks the subject of a write against lost updates (FOR NO KEY UPDATE), within its scope, and adds it to the unit of work. */
export const loadEntity: Persister['load'] = async (type, key, context) => {
  const statement = await createStatement(type, [type], [], context, [type])
  const keyCondition = compare(type.id.property, '=', key)
  statement.addCondition(keyCondition, 'entity')
  const [row] = await runStatement(type, statement, (compiler) => {
    const alias = compiler.alias()
    const where = [compiler.condition(keyCondition, type, alias), ...compiler.filters(type, alias)].join(' and ')
    const columns = rowColumns(compiler, type, alias).join(', ')
    return `select ${columns} from ${compiler.table(type)} ${alias} where ${where} for no key update of ${alias}`
  })
  return row ? emOf(context).map(type.entity, row as never) : null
}

/** Locks the subject of a write and reads its values and the named paths, without an entity. */
export const lockRow: StatementWriter['lock'] = async (type, key, context, names = []) => {
  type.lockSelections ??= new Map()
  const selection = getOrCreate(type.lockSelections, names.join(), () => selectRow(type, names))
  const statement = await createStatement(type, typesRead(selection, type), [], context, [type])
  const keyCondition = compare(type.id.property, '=', key)
  statement.addCondition(keyCondition, 'locked')
  const rows = await runStatement(selection.parts, statement, (compiler) => {
    const alias = compiler.alias()
    const where = [compiler.condition(keyCondition, type, alias), ...compiler.filters(type, alias)]
    return selectText(compiler, type, selection, { alias, where, tail: ` for no key update of ${alias}` })
  })
  return convertRows(type, selection, rows, statement.unit.orm)[0] ?? null
}

declare module '#kernel/store' {
  interface ResourceType {
    /** The columns that are read when a row is locked, by the names of the declarations that need them. */
    lockSelections?: Map<string, Selection>
  }
}

function selectRow(type: ResourceType, names: readonly string[]): Selection {
  return { ...selectNames([type.id.property, ...wholeRow(type), ...names]), links: [], chained: [] }
}
