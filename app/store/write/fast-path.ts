import type { EntityProperty } from '@mikro-orm/core'
import {
  type Changes,
  type Condition,
  type Context,
  everyCondition,
  type FastPath,
  type FastWrite,
  getOrCreate,
  notStored,
  type RelatedKey,
  type Relation,
  type ResourceType,
  type Row,
  selectionOf,
} from '#kernel/store'
import { toWriteError } from '../errors/write-errors.ts'
import { columnType } from '../sql/column-types.ts'
import type { Compiler } from '../sql/compiler.ts'
import { runStatement } from '../sql/run-statement.ts'
import { convertRows, selectList } from '../sql/select.ts'
import { markColumn, typesRead } from '../sql/select-rows.ts'
import { createStatement, type Slot } from '../sql/statement.ts'
import { unitOf } from '../unit.ts'
import {
  assign,
  castText,
  columnNames,
  columnOf,
  type EncodedRow,
  encodeChangedColumns,
  encodeColumns,
  encodeNewRow,
  groupAdjacent,
} from './encode-row.ts'

/**
 * Writes rows by `insert … returning` or `update … returning`, without entities. Adjacent new rows with the same columns
 * share a statement. Returns null if nothing is to be written, or if a row that a to-one refers to is not visible. Undefined if a
 * value cannot be bound as a parameter, or if a hook has loaded or created entities: the statement would not change them.
 */
export const writeRows: FastPath['write'] = async (write, context) => {
  const { type, subject, key, changes } = write
  if (unitOf(context).hasEntities) return undefined
  try {
    if (changes.length > 1) return await insertRows(write, context)
    const [change] = changes
    const row = encodeRow(write, change, context)
    if (!row) return undefined
    if (row.size === 0 && (subject || key !== undefined)) return null
    const written = await runWrite(write, [row], context)
    if (!subject && key === undefined) return checkStored(written, write)
    return written.length > 0 ? written : null
  } catch (error) {
    throw toWriteError(error, type, context)
  }
}

function encodeRow({ type, subject, key }: FastWrite, change: Changes, context: Context): EncodedRow | undefined {
  if (subject) return encodeChangedColumns(type, subject, change, context)
  return key === undefined ? encodeNewRow(type, change, context) : encodeColumns(type, change, context)
}

async function insertRows(write: FastWrite, context: Context): Promise<readonly Row[] | null | undefined> {
  const rows = write.changes.flatMap((changes) => encodeNewRow(write.type, changes, context) ?? [])
  if (rows.length < write.changes.length) return undefined
  const groups = groupAdjacent(rows)
  if (write.checksTargets && groups.length > 1) return null // one may write before another finds a target missing
  const part = { ...write, isOnlyStatement: write.isOnlyStatement && groups.length === 1 }
  const written: Row[] = []
  for (const group of groups) written.push(...(await runWrite(part, group, context)))
  return checkStored(written, write)
}

/** Null if a row that a to-one refers to is not visible. Throws if a trigger has skipped a row. */
function checkStored(written: readonly Row[], { changes, checksTargets }: FastWrite): readonly Row[] | null {
  if (written.length === 0 && checksTargets) return null
  if (written.length < changes.length) throw notStored()
  return written
}

/** The columns of a statement and their values: of one row, or a list for each column of several rows. */
interface Columns {
  readonly properties: readonly EntityProperty[]
  readonly values: Slot<readonly unknown[]>
  readonly isBulk: boolean
}

async function runWrite(write: FastWrite, rows: readonly EncodedRow[], context: Context): Promise<Row[]> {
  const { type, subject, query } = write
  const unit = unitOf(context)
  const selection = selectionOf(query, type)
  const targets = write.checksTargets ? targetsOf(write) : []
  const scoped = targets.map(({ relation }): Condition => ({ kind: 'exists', relation }))
  const addressed = write.key === undefined ? undefined : [type]
  const statement = await createStatement(type, typesRead(selection, type), scoped, context, addressed)
  const condition = await rowCondition(type, context)
  if (condition) statement.addCondition(condition, 'within')
  const values = toColumns(rows)
  const isAllOrNone = values.isBulk && write.isOnlyStatement && unit.commitsAlone
  const kind = isAllOrNone ? 'all or none' : values.isBulk ? 'bulk' : 'row'
  const columns = { ...values, values: statement.add(`${kind} ${columnNames(rows[0] as EncodedRow)}`, values.values) }
  const linked = targets.map(({ relation, keys }) => ({ relation, keys: statement.addKeys('target', keys) }))
  const row = updatedRow(write)
  const updated = row && statement.add(subject ? 'update' : 'update unread', row)
  const compile = (compiler: Compiler): string => {
    const alias = compiler.alias()
    const where = linked.map((one) => areVisible(compiler, one))
    const text = updated
      ? updateText(compiler, write, alias, columns, [hasKey(compiler, updated, alias), ...where])
      : insertText(compiler, type, alias, columns, where)
    const returned = selectList(compiler, type, selection, alias)
    if (condition) returned.push(markColumn(compiler, condition, type, alias))
    const written = `${text} returning ${returned.join(', ')}`
    return isAllOrNone ? allOrNone(compiler, written, columns) : written
  }
  const written = await runStatement(selection, statement, compile, write.isOnlyStatement)
  return convertRows(type, selection, written, unit.orm)
}

/** Makes an insert that commits by itself fail if it writes only a part of the rows, because a trigger skips some. */
function allOrNone(compiler: Compiler, insert: string, { values }: Columns): string {
  const count = compiler.bindFrom(values, ([first]) => (first as readonly unknown[]).length, 'int8')
  return `with "#rows" as (${insert}) select * from "#rows" where 1 / ((select count(*) from "#rows") = ${count})::int = 1`
}

/** The row that is updated; undefined for an insert. */
function updatedRow({ type, subject, key }: FastWrite): RelatedKey | undefined {
  if (subject) return { type, key: type.persister.keyOf(type, subject) }
  return key === undefined ? undefined : { type, key }
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

function targetsOf({ changes }: FastWrite): readonly Targets[] {
  const keysByRelation = new Map<Relation, Set<string>>()
  for (const { toOne } of changes) {
    for (const [relation, related] of toOne) {
      if (related) getOrCreate(keysByRelation, relation, () => new Set<string>()).add(String(related.key))
    }
  }
  return [...keysByRelation].map(([relation, keys]) => ({ relation, keys: [...keys] }))
}

/**
 * The condition for written rows, if the statement can evaluate it on the rows that it returns. Undefined if it needs a
 * subselect: a statement does not see the rows that it writes.
 */
async function rowCondition(type: ResourceType, context: Context): Promise<Condition | undefined> {
  const within = await context.writeScope(type)
  return within && isOfRow(within) ? within : undefined
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
  const cells = isBulk ? properties.map((one, index) => castText(`c${index}`, one)) : parameters(compiler, columns)
  const from = isBulk
    ? ` from unnest(${lists.join(', ')}) as r(${lists.map((_, index) => `c${index}`).join(', ')})`
    : ''
  const condition = where.length > 0 ? ` where ${where.join(' and ')}` : ''
  return `${into} (${properties.map(columnOf).join(', ')}) select ${cells.join(', ')}${from}${condition}`
}

function updateText(
  compiler: Compiler,
  write: FastWrite,
  alias: string,
  columns: Columns,
  where: readonly string[],
): string {
  const { type, subject } = write
  const values = parameters(compiler, columns)
  const assignments = columns.properties.map((one, index) => assign(one, values[index] as string, alias, compiler))
  const conditions = [...where]
  if (!subject) conditions.push(...compiler.filters(type, alias))
  if (!isKnownToChange(write, columns))
    conditions.push(`(${assignments.map(({ isChanged }) => isChanged).join(' or ')})`)
  const set = assignments.map(({ text }) => text).join(', ')
  return `update ${compiler.table(type)} as ${alias} set ${set} where ${conditions.join(' and ')}`
}

/** Whether all values of the update change the row that was read, which has no keys of to-ones. */
function isKnownToChange({ subject, changes: [{ toOne }] }: FastWrite, { properties }: Columns): boolean {
  return subject !== null && toOne.size === 0 && properties.every((one) => !columnType(one).isChanged)
}

function parameters(compiler: Compiler, { properties, values }: Columns): string[] {
  return properties.map((one, index) =>
    castText(
      compiler.bindFrom(values, (all) => all[index], 'text'),
      one,
    ),
  )
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

function hasKey(compiler: Compiler, row: Slot<RelatedKey>, alias: string): string {
  const text = compiler.bindFrom(row, ({ key }) => String(key), 'text')
  return isKey(compiler, row.value.type, alias, text)
}

/** Compares the key of a row with a text. */
function isKey(compiler: Compiler, type: ResourceType, alias: string, text: string): string {
  return `${compiler.key(type, alias)} = ${castText(text, compiler.property(type, type.id.property))}`
}
