import { type Changes, type Condition, type Persister, type RelatedKey, type ResourceType, selectionOf } from '#kernel'
import type { Compiler } from './compiler.ts'
import { castOf, isPlainWrite, onlyChanged, type PlainRow, toPlainRow } from './plain-rows.ts'
import { columnOf, oneOf } from './plain-writes.ts'
import { startSelect } from './rows.ts'
import { convertRows, selectList } from './select.ts'
import { explainWrite } from './sql-errors.ts'
import { unitOf } from './unit.ts'

/** Checks what a row refers to, writes the row, and reads it, in one statement. */
export const writeAtOnce: NonNullable<Persister['writeAtOnce']> = async (
  type,
  entity,
  changes,
  query,
  context,
  isAll,
) => {
  if (!isPlainWrite(type, changes, context)) return null
  const row = entity
    ? toPlainRow(type, onlyChanged(entity, changes), context)
    : toPlainRow(type, changes, context, new (type.entity as new () => object)())
  if (!row || row.size === 0) return null
  const selection = selectionOf(query, type)
  const referred = [...changes.toOne.keys()].map((relation): Condition => ({ kind: 'exists', relation }))
  const compiler = await startSelect(type, selection, referred, context)
  const alias = compiler.alias()
  const written = entity
    ? update(compiler, type, alias, row, type.persister.keyOf(type, entity), changes)
    : insert(compiler, type, alias, row, changes)
  const sql = `${written} returning ${selectList(compiler, type, selection, alias).join(', ')}`
  const unit = unitOf(context)
  try {
    const rows = await (isAll ? unit.runAlone(sql, compiler.parameters) : unit.run(sql, compiler.parameters))
    return convertRows(compiler, type, selection, rows)[0] ?? null
  } catch (error) {
    throw explainWrite(error, type)
  }
}

function insert(compiler: Compiler, type: ResourceType, alias: string, row: PlainRow, changes: Changes): string {
  const properties = [...row.keys()]
  compiler.parameters.push(...row.values())
  const values = properties.map(oneOf).join(', ')
  const are = areThere(compiler, changes)
  const source = are.length > 0 ? `select ${values} where ${are.join(' and ')}` : `values (${values})`
  return `insert into ${compiler.table(type)} as ${alias} (${properties.map(columnOf).join(', ')}) ${source}`
}

function update(
  compiler: Compiler,
  type: ResourceType,
  alias: string,
  row: PlainRow,
  key: unknown,
  changes: Changes,
): string {
  compiler.parameters.push(...row.values())
  const set = [...row.keys()].map((property, index) => `${columnOf(property)} = ${oneOf(property, index)}`)
  const isIt = `${compiler.key(type, alias)} = ${bindKey(compiler, { type, key })}`
  const where = [isIt, ...areThere(compiler, changes)].join(' and ')
  return `update ${compiler.table(type)} as ${alias} set ${set.join(', ')} where ${where}`
}

/** That the requester may see each of the rows that are referred to. */
function areThere(compiler: Compiler, { toOne }: Changes): string[] {
  return [...toOne.values()].flatMap((related) => {
    if (!related) return []
    const alias = compiler.alias()
    const isIt = `${compiler.key(related.type, alias)} = ${bindKey(compiler, related)}`
    const scope = compiler.scope(related.type, alias)
    const where = scope ? `${isIt} and ${scope}` : isIt
    return [`exists (select 1 from ${compiler.table(related.type)} ${alias} where ${where})`]
  })
}

function bindKey(compiler: Compiler, { type, key }: RelatedKey): string {
  return compiler.bind(key) + castOf(compiler.property(type, type.id.property))
}
