import type { EntityProperty } from '@mikro-orm/core'
import {
  type Changes,
  type Condition,
  type Context,
  everyCondition,
  type Persister,
  type RelatedKey,
  type Relation,
  type ResourceType,
  selectionOf,
} from '#kernel/store'
import { explainWrite } from '../errors/sql-errors.ts'
import type { Compiler } from '../sql/compiler.ts'
import { toPlain } from '../sql/orm-filter.ts'
import { convertRows, selectList } from '../sql/select.ts'
import { askRows, markColumn } from '../sql/select-rows.ts'
import { runCached } from '../sql/statement-cache.ts'
import type { StatementKey } from '../sql/statement-key.ts'
import { unitOf } from '../unit.ts'
import { castOf, isPlainWrite, onlyChanged, type PlainRow, toPlainRow } from './direct-row.ts'
import { columnOf } from './direct-write.ts'

/** Checks what a row refers to, writes the row, and reads it, in one statement. */
export const writeSingleStatement: NonNullable<Persister['writeAtOnce']> = async (
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
  const unit = unitOf(context)
  const selection = selectionOf(query, type)
  const referred = relatedIn(changes)
  const asked = await askRows(type, selection, referred.map(exists), context)
  const within = await writeCondition(type, context)
  if (within) asked.those(within, 'within')
  const written = toWritten(row, asked)
  for (const [, related] of referred) asked.about('to', related)
  const subject = entity && { type, key: type.persister.keyOf(type, entity) }
  if (subject) asked.about('it', subject)
  const write = (compiler: Compiler): string => {
    const alias = compiler.alias()
    const areThere = referred.map(([, related]) => isThere(compiler, related))
    const text = subject
      ? updateText(compiler, type, alias, written, [isKey(compiler, subject, alias), ...areThere])
      : insertText(compiler, type, alias, written, areThere)
    const columns = selectList(compiler, type, selection, alias)
    if (within) columns.push(markColumn(compiler, within, type, alias))
    return `${text} returning ${columns.join(', ')}`
  }
  try {
    const send = isAll ? unit.runAlone.bind(unit) : unit.run.bind(unit)
    return convertRows(type, selection, await runCached(selection, asked, context, write, send), unit)[0] ?? null
  } catch (error) {
    throw explainWrite(error, type)
  }
}

/**
 * The condition for written rows, where the write can tell whether the new row meets it. Undefined for a filter that
 * needs a subselect: a statement does not see the rows it writes.
 */
async function writeCondition(type: ResourceType, context: Context): Promise<Condition | undefined> {
  const within = await context.writeScope(type)
  const [plain] = within ? toPlain([within], type, unitOf(context).orm) : []
  return plain && isOfRow(plain) ? plain : undefined
}

function isOfRow(condition: Condition): boolean {
  return everyCondition(condition, ({ kind }) => kind !== 'native' && kind !== 'exists' && kind !== 'pivot')
}

type Referred = readonly [Relation, RelatedKey]

function relatedIn({ toOne }: Changes): Referred[] {
  const referred: Referred[] = []
  for (const [relation, related] of toOne) if (related) referred.push([relation, related])
  return referred
}

/** For the scope of the type it leads to. */
function exists([relation]: Referred): Condition {
  return { kind: 'exists', relation }
}

interface Written {
  readonly properties: readonly EntityProperty[]
  readonly values: readonly unknown[]
}

function toWritten(row: PlainRow, asked: StatementKey): Written {
  const written = { properties: [...row.keys()], values: [...row.values()] }
  asked.about(`write ${written.properties.map(({ name }) => name)}`, written.values)
  return written
}

function valuesText(compiler: Compiler, { properties, values }: Written): string[] {
  return properties.map((property, index) => compiler.take(values, (all) => all[index]) + castOf(property))
}

function insertText(
  compiler: Compiler,
  type: ResourceType,
  alias: string,
  written: Written,
  where: readonly string[],
): string {
  const values = valuesText(compiler, written).join(', ')
  const source = where.length > 0 ? `select ${values} where ${where.join(' and ')}` : `values (${values})`
  return `insert into ${compiler.table(type)} as ${alias} (${written.properties.map(columnOf).join(', ')}) ${source}`
}

function updateText(
  compiler: Compiler,
  type: ResourceType,
  alias: string,
  written: Written,
  where: readonly string[],
): string {
  const values = valuesText(compiler, written)
  const set = written.properties.map((property, index) => `${columnOf(property)} = ${values[index]}`)
  return `update ${compiler.table(type)} as ${alias} set ${set.join(', ')} where ${where.join(' and ')}`
}

/** That the requester may see a row that is referred to. */
function isThere(compiler: Compiler, related: RelatedKey): string {
  const alias = compiler.alias()
  const scope = compiler.scope(related.type, alias)
  const where = isKey(compiler, related, alias) + (scope ? ` and ${scope}` : '')
  return `exists (select 1 from ${compiler.table(related.type)} ${alias} where ${where})`
}

function isKey(compiler: Compiler, related: RelatedKey, alias: string): string {
  const { type } = related
  const key = compiler.take(related, (one) => one.key)
  return `${compiler.key(type, alias)} = ${key}${castOf(compiler.property(type, type.id.property))}`
}
