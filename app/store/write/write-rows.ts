import type { EntityProperty } from '@mikro-orm/core'
import {
  type AddressedRow,
  type Changes,
  type Condition,
  type Context,
  chooseSelection,
  everyCondition,
  inWriteScopeKey,
  isThenable,
  notStored,
  type Relation,
  type ResourceType,
  type Row,
  type RowWrite,
  type Selection,
} from '#kernel/store'
import { toWriteError } from '../errors/write-errors.ts'
import { columnType } from '../sql/column-types.ts'
import { quoteIdentifier } from '../sql/columns/column-sql.ts'
import type { Compiler } from '../sql/compiler.ts'
import { runStatement } from '../sql/run-statement.ts'
import { convertRows, selectList } from '../sql/select.ts'
import { markColumn, typesRead } from '../sql/select-rows.ts'
import { createStatement, type Slot, StatementBuilder } from '../sql/statement-builder.ts'
import { unitOf } from '../unit.ts'
import { addAddress, hasAddress, isKey } from './addressed-row.ts'
import {
  assign,
  castText,
  type EncodedRow,
  type EncodedValue,
  encodeChangedColumns,
  encodeColumns,
  encodeNewRow,
  groupAdjacent,
  isExpression,
  quoteColumn,
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
    return row && columns.values.length === 0 ? nothing : runWrite(write, [columns], context, fail)
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

function runWrite(
  write: RowWrite,
  rows: readonly EncodedRow[],
  context: Context,
  fail?: (error: unknown) => Promise<never>,
): Promise<Row[]> {
  const { type, query, row } = write
  const selection = chooseSelection(query, type)
  const targets = write.checksTargets ? findTargets(write) : none
  const read = typesRead(selection, type)
  const types = targets.length > 0 ? [...read, ...targets.map(({ target }) => target)] : read
  const statement = createStatement(type, types, noConditions, context, row && !row.subject ? [type] : undefined)
  const within = context.writeScope(type)
  if (statement instanceof StatementBuilder && (within === undefined || !isThenable(within)))
    return sendWrite({ write, rows, selection, targets, within }, statement, fail)
  return Promise.all([statement, within]).then(
    ([resolved, scope]) => sendWrite({ write, rows, selection, targets, within: scope }, resolved, fail),
    fail,
  )
}

const none: readonly Relation[] = []
const noConditions: readonly Condition[] = []

/** The to-ones of the written rows whose targets the statement checks. */
function findTargets({ changes: [{ toOne }, ...others] }: RowWrite): readonly Relation[] {
  const relations: Relation[] = []
  for (const [relation, related] of toOne) if (related) relations.push(relation)
  for (const change of others) {
    for (const [relation, related] of change.toOne) {
      if (related && !relations.includes(relation)) relations.push(relation)
    }
  }
  return relations
}

interface PreparedWrite {
  readonly write: RowWrite
  readonly rows: readonly EncodedRow[]
  readonly selection: Selection
  readonly targets: readonly Relation[]
  /** The condition for written rows. */
  readonly within: Condition | undefined
}

function sendWrite(
  { write, rows, selection, targets, within }: PreparedWrite,
  statement: StatementBuilder,
  fail?: (error: unknown) => Promise<never>,
): Promise<Row[]> {
  const { type, row } = write
  const { unit } = statement
  // A statement does not see the rows that it writes: a condition with a subselect is evaluated by another one.
  const condition = within && isOfRow(within) ? within : undefined
  if (condition) statement.addCondition(condition, 'in write scope')
  else if (within) unit.requireTransaction()
  const [{ properties, values, names }] = rows as [EncodedRow]
  const isBulk = rows.length > 1
  const { commitsByItself } = unit
  const kind = `${commitsByItself ? 'committed ' : ''}${isBulk ? 'bulk' : 'row'}`
  const slots = statement.addAll<unknown>(`${kind} ${names}`, isBulk ? toLists(rows) : values)
  for (const { name } of targets) statement.shape += `|target ${name}`
  const address = row && addAddress(statement, row)
  const compile = (compiler: Compiler): string => {
    const alias = compiler.alias()
    const columns = properties.map((property, index) =>
      bindColumn(compiler, property, slots[index] as Slot<unknown>, isBulk),
    )
    const where = targets.map((relation) => isVisible(compiler, relation, write, columns, isBulk))
    const text = address
      ? updateText(compiler, write, alias, columns, [...hasAddress(compiler, address, alias), ...where])
      : insertText(compiler, type, alias, columns, where, isBulk)
    const returned = selectList(compiler, type, selection, alias)
    if (condition) returned.push(markColumn(compiler, condition, type, alias))
    const written = `${text} returning ${returned.join(', ')}`
    const checks: string[] = []
    if (commitsByItself && isBulk) checks.push(hasAllRows(compiler, slots))
    if (commitsByItself && condition && write.toScopeError) checks.push(isInScope)
    return checks.length > 0
      ? `with "#rows" as (${written}) select * from "#rows" where ${checks.join(' and ')}`
      : written
  }
  return runStatement(selection.parts, statement, compile, 'write').then(
    (found) => convertRows(type, selection, found, unit.orm),
    (error) => {
      if (condition && write.toScopeError && isOutside(error)) throw write.toScopeError(condition)
      if (fail) return fail(error)
      throw error
    },
  )
}

/** A column that is written. */
interface BoundColumn {
  readonly property: EntityProperty
  /** The parameter with its text, or the list of texts for several rows. Null for an expression. */
  readonly parameter: string | null
  /** The value in SQL; of one row. */
  value(alias: string): string
}

/** An expression depends on more than the columns: its statement is not kept. */
function bindColumn(compiler: Compiler, property: EntityProperty, slot: Slot<unknown>, isBulk: boolean): BoundColumn {
  const encoded = slot.value as EncodedValue
  if (!isBulk && isExpression(encoded)) {
    compiler.isCacheable = false
    return { property, parameter: null, value: (alias) => encoded.toSql(alias) }
  }
  const parameter = compiler.bindSlot(slot, isBulk ? 'text[]' : 'text')
  return { property, parameter, value: () => castText(parameter, property) }
}

/** The values of each column. */
function toLists(rows: readonly EncodedRow[]): readonly (readonly EncodedValue[])[] {
  const [{ properties }] = rows as [EncodedRow]
  return properties.map((_, index) => rows.map(({ values }) => values[index] as EncodedValue))
}

/** Makes an insert that commits by itself fail if it writes only a part of the rows, because a trigger skips some. */
function hasAllRows(compiler: Compiler, [first]: readonly Slot<unknown>[]): string {
  const count = compiler.bindFrom(first as Slot<readonly unknown[]>, (values) => values.length, 'int8')
  return `1 / ((select count(*) from "#rows") = ${count})::int = 1`
}

const outside = '#outside of the write scope'

/**
 * Makes a statement that commits by itself fail if a written row is outside of the scope: no number begins with the text. It
 * depends on the row, because PostgreSQL evaluates constant expressions while it plans.
 */
const isInScope = `case when ${quoteIdentifier(inWriteScopeKey)} then true else ('${outside}' || ${quoteIdentifier(inWriteScopeKey)}::text)::int = 1 end`

/** PostgreSQL quotes the text in its error, with the quotes of the language of the server. */
const quotedOutside = new RegExp(`["«»„“”]\\s*${outside}`)

function isOutside(error: unknown): boolean {
  return error instanceof Error && quotedOutside.test(error.message)
}

function isOfRow(condition: Condition): boolean {
  return everyCondition(condition, ({ kind }) => kind !== 'native' && kind !== 'exists' && kind !== 'pivot')
}

/** The text of a bulk insert does not depend on the number of rows: each column is one parameter. */
function insertText(
  compiler: Compiler,
  type: ResourceType,
  alias: string,
  columns: readonly BoundColumn[],
  where: readonly string[],
  isBulk: boolean,
): string {
  const into = `insert into ${compiler.table(type)} as ${alias}`
  if (columns.length === 0) return `${into} default values`
  const cells = columns.map((column, index) => (isBulk ? castText(`c${index}`, column.property) : column.value(alias)))
  const lists = columns.map(({ parameter }) => parameter).join(', ')
  const from = isBulk ? ` from unnest(${lists}) as r(${columns.map((_, index) => `c${index}`).join(', ')})` : ''
  const condition = where.length > 0 ? ` where ${where.join(' and ')}` : ''
  return `${into} (${columns.map(({ property }) => quoteColumn(property)).join(', ')}) select ${cells.join(', ')}${from}${condition}`
}

function updateText(
  compiler: Compiler,
  write: RowWrite,
  alias: string,
  columns: readonly BoundColumn[],
  where: readonly string[],
): string {
  const { type } = write
  const assignments = columns.map((column) => assign(column.property, column.value(alias), alias, compiler))
  const conditions = [...where]
  if (!isKnownToChange(write, columns))
    conditions.push(`(${assignments.map(({ isChanged }) => isChanged).join(' or ')})`)
  const set = assignments.map(({ text }) => text).join(', ')
  return `update ${compiler.table(type)} as ${alias} set ${set} where ${conditions.join(' and ')}`
}

/** Whether all values of the update change the row that was read, which has no keys of to-ones. */
function isKnownToChange({ row, changes: [{ toOne }] }: RowWrite, columns: readonly BoundColumn[]): boolean {
  return row?.subject != null && toOne.size === 0 && columns.every(({ property }) => !columnType(property).isChanged)
}

/** Whether the requester sees all rows that a to-one refers to. */
function isVisible(
  compiler: Compiler,
  relation: Relation,
  { changes: [{ toOne }] }: RowWrite,
  columns: readonly BoundColumn[],
  isBulk: boolean,
): string {
  const { target, property } = relation
  const alias = compiler.alias()
  const exists = (key: string) => {
    const where = [isKey(compiler, target, alias, key), ...compiler.filters(target, alias)].join(' and ')
    return `exists (select 1 from ${compiler.table(target)} ${alias} where ${where})`
  }
  const keys = columns.find((column) => column.property.name === property)?.parameter
  // A to-one that is no column has no parameter: the statement is not kept.
  if (!isBulk) return exists(keys ?? compiler.bind(String(toOne.get(relation)?.key), 'text'))
  return `not exists (select 1 from unnest(${keys}) as k(target) where target is not null and not ${exists('k.target')})`
}
