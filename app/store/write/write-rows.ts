import type { EntityProperty } from '@mikro-orm/core'
import {
  type AddressedRow,
  type Changes,
  type Condition,
  type Context,
  everyCondition,
  getOrCreate,
  isThenable,
  notStored,
  type Relation,
  type ResourceType,
  type Row,
  type RowWrite,
  type Selection,
  selectionOf,
} from '#kernel/store'
import { toWriteError } from '../errors/write-errors.ts'
import { columnType } from '../sql/column-types.ts'
import type { Compiler } from '../sql/compiler.ts'
import { runStatement } from '../sql/run-statement.ts'
import { convertRows, selectList } from '../sql/select.ts'
import { markColumn, typesRead } from '../sql/select-rows.ts'
import { createStatement, type Slot, Statement } from '../sql/statement.ts'
import { unitOf } from '../unit.ts'
import { addressRow, hasAddress, isKey } from './addressed-row.ts'
import {
  assign,
  castText,
  columnNames,
  columnOf,
  type EncodedRow,
  type EncodedValue,
  encodeChangedColumns,
  encodeColumns,
  encodeNewRow,
  groupAdjacent,
  isExpression,
} from './encode-row.ts'

/**
 * Writes rows by `insert … returning` or `update … returning`. Adjacent new rows with the same columns share a statement.
 * Returns no row if nothing is to be written, if no row in scope has the key and the version, or if a row that a to-one refers
 * to is not visible.
 */
export function writeRows(write: RowWrite, context: Context): Promise<readonly Row[]> {
  const { type, row, changes } = write
  const fail = (error: unknown) => Promise.reject(toWriteError(error, type, context))
  try {
    if (!row && changes.length > 1) return insertRows(write, context).catch(fail)
    const [change] = changes
    const columns = row ? encodeUpdate(row, change, context) : encodeNewRow(type, change, context)
    return row && columns.size === 0 ? nothing : runWrite(write, [columns], context).catch(fail)
  } catch (error) {
    return fail(error)
  }
}

const nothing: Promise<readonly Row[]> = Promise.resolve([])

function encodeUpdate({ type, subject }: AddressedRow, change: Changes, context: Context): EncodedRow {
  return subject ? encodeChangedColumns(type, subject, change, context) : encodeColumns(type, change, context)
}

async function insertRows(write: RowWrite, context: Context): Promise<readonly Row[]> {
  const { changes, checksTargets } = write
  const groups = groupAdjacent(changes.map((change) => encodeNewRow(write.type, change, context)))
  const isOneStatement = groups.length === 1
  if (!isOneStatement) unitOf(context).requireTransaction()
  if (checksTargets && !isOneStatement) return [] // one may write before another finds a target missing
  const written: Row[] = []
  for (const group of groups) written.push(...(await runWrite(write, group, context)))
  if (written.length > 0 && written.length < changes.length) throw notStored() // a trigger has skipped a row
  return written
}

/** The columns of a statement and their values: of one row, or a list for each column of several rows. */
interface Columns {
  readonly properties: readonly EntityProperty[]
  readonly values: Slot<readonly unknown[]>
  readonly isBulk: boolean
}

function runWrite(write: RowWrite, rows: readonly EncodedRow[], context: Context): Promise<Row[]> {
  const { type, query, row } = write
  const selection = selectionOf(query, type)
  const targets = write.checksTargets ? targetsOf(write) : none
  const scoped = targets.map(({ relation }): Condition => ({ kind: 'exists', relation }))
  const addressed = row && !row.subject ? [type] : undefined
  const statement = createStatement(type, typesRead(selection, type), scoped, context, addressed)
  const within = context.writeScope(type)
  if (statement instanceof Statement && !isThenable(within))
    return sendWrite({ write, rows, selection, targets, within }, statement)
  return Promise.all([statement, within]).then(([resolved, scope]) =>
    sendWrite({ write, rows, selection, targets, within: scope }, resolved),
  )
}

const none: readonly Targets[] = []

interface PreparedWrite {
  readonly write: RowWrite
  readonly rows: readonly EncodedRow[]
  readonly selection: Selection
  readonly targets: readonly Targets[]
  /** The condition for written rows. */
  readonly within: Condition | undefined
}

function sendWrite({ write, rows, selection, targets, within }: PreparedWrite, statement: Statement): Promise<Row[]> {
  const { type, row } = write
  const { unit } = statement
  // A statement does not see the rows that it writes: a condition with a subselect is evaluated by another one.
  const condition = within && isOfRow(within) ? within : undefined
  if (condition) statement.addCondition(condition, 'in write scope')
  const values = toColumns(rows)
  const isAllOrNone = values.isBulk && unit.commitsByItself
  const kind = isAllOrNone ? 'all or none' : values.isBulk ? 'bulk' : 'row'
  const columns = { ...values, values: statement.add(`${kind} ${columnNames(rows[0] as EncodedRow)}`, values.values) }
  const linked = targets.map(({ relation, keys }) => ({ relation, keys: statement.addKeys('target', keys) }))
  const address = row && addressRow(statement, row)
  const compile = (compiler: Compiler): string => {
    const alias = compiler.alias()
    const where = linked.map((one) => areVisible(compiler, one))
    const text = address
      ? updateText(compiler, write, alias, columns, [...hasAddress(compiler, address, alias), ...where])
      : insertText(compiler, type, alias, columns, where)
    const returned = selectList(compiler, type, selection, alias)
    if (condition) returned.push(markColumn(compiler, condition, type, alias))
    const written = `${text} returning ${returned.join(', ')}`
    return isAllOrNone ? allOrNone(compiler, written, columns) : written
  }
  return runStatement(selection, statement, compile, 'write').then((written) =>
    convertRows(type, selection, written, unit.orm),
  )
}

/** Makes an insert that commits by itself fail if it writes only a part of the rows, because a trigger skips some. */
function allOrNone(compiler: Compiler, insert: string, { values }: Columns): string {
  const count = compiler.bindFrom(values, ([first]) => (first as readonly unknown[]).length, 'int8')
  return `with "#rows" as (${insert}) select * from "#rows" where 1 / ((select count(*) from "#rows") = ${count})::int = 1`
}

function toColumns(rows: readonly EncodedRow[]): Omit<Columns, 'values'> & { readonly values: readonly unknown[] } {
  const [first] = rows as [EncodedRow]
  const properties = [...first.keys()]
  const isBulk = rows.length > 1
  const values = isBulk ? properties.map((one) => rows.map((row) => row.get(one))) : [...first.values()]
  return { properties, values, isBulk }
}

/** The rows that a to-one of the written rows refers to. */
interface Targets {
  readonly relation: Relation
  readonly keys: readonly string[]
}

function targetsOf({ changes }: RowWrite): readonly Targets[] {
  const keysByRelation = new Map<Relation, Set<string>>()
  for (const { toOne } of changes) {
    for (const [relation, related] of toOne) {
      if (related) getOrCreate(keysByRelation, relation, () => new Set<string>()).add(String(related.key))
    }
  }
  return [...keysByRelation].map(([relation, keys]) => ({ relation, keys: [...keys] }))
}

function isOfRow(condition: Condition): boolean {
  return everyCondition(condition, ({ kind }) => kind !== 'native' && kind !== 'exists' && kind !== 'pivot')
}

/** The text of a bulk insert does not depend on the number of rows: each column is one parameter. */
function insertText(
  compiler: Compiler,
  type: ResourceType,
  alias: string,
  columns: Columns,
  where: readonly string[],
): string {
  const { properties, values, isBulk } = columns
  const into = `insert into ${compiler.table(type)} as ${alias}`
  if (properties.length === 0) return `${into} default values`
  const lists = isBulk ? properties.map((_, index) => compiler.bindFrom(values, (all) => all[index], 'text[]')) : []
  const cells = isBulk
    ? properties.map((one, index) => castText(`c${index}`, one))
    : parameters(compiler, columns, alias)
  const from = isBulk
    ? ` from unnest(${lists.join(', ')}) as r(${lists.map((_, index) => `c${index}`).join(', ')})`
    : ''
  const condition = where.length > 0 ? ` where ${where.join(' and ')}` : ''
  return `${into} (${properties.map(columnOf).join(', ')}) select ${cells.join(', ')}${from}${condition}`
}

function updateText(
  compiler: Compiler,
  write: RowWrite,
  alias: string,
  columns: Columns,
  where: readonly string[],
): string {
  const { type } = write
  const values = parameters(compiler, columns, alias)
  const assignments = columns.properties.map((one, index) => assign(one, values[index] as string, alias, compiler))
  const conditions = [...where]
  if (!isKnownToChange(write, columns))
    conditions.push(`(${assignments.map(({ isChanged }) => isChanged).join(' or ')})`)
  const set = assignments.map(({ text }) => text).join(', ')
  return `update ${compiler.table(type)} as ${alias} set ${set} where ${conditions.join(' and ')}`
}

/** Whether all values of the update change the row that was read, which has no keys of to-ones. */
function isKnownToChange({ row, changes: [{ toOne }] }: RowWrite, { properties }: Columns): boolean {
  return row?.subject != null && toOne.size === 0 && properties.every((one) => !columnType(one).isChanged)
}

/** The SQL of each value of a row. An expression depends on more than the columns: its statement is not kept. */
function parameters(compiler: Compiler, { properties, values }: Columns, alias: string): string[] {
  return properties.map((one, index) => {
    const value = values.value[index] as EncodedValue
    if (!isExpression(value))
      return castText(
        compiler.bindFrom(values, (all) => all[index], 'text'),
        one,
      )
    compiler.isCacheable = false
    return value.toSql(alias)
  })
}

interface VisibleTargets {
  readonly relation: Relation
  readonly keys: Slot<readonly unknown[]>
}

/** Whether the requester sees all rows that a to-one refers to. */
function areVisible(compiler: Compiler, { relation: { target }, keys }: VisibleTargets): string {
  const alias = compiler.alias()
  const isVisible = (key: string) => {
    const where = [isKey(compiler, target, alias, key), ...compiler.filters(target, alias)].join(' and ')
    return `exists (select 1 from ${compiler.table(target)} ${alias} where ${where})`
  }
  if (keys.value.length === 1) return isVisible(compiler.bindFrom(keys, ([key]) => key, 'text'))
  const list = compiler.bindFrom(keys, (all) => all, 'text[]')
  return `not exists (select 1 from unnest(${list}) as k(target) where not ${isVisible('k.target')})`
}
