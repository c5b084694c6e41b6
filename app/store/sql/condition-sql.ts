import { type Condition, type ConditionOf, type ConditionVisitor, visitCondition } from '#kernel/store'
import { bindFragment } from './bind-fragment.ts'
import { columnType, listCastOf } from './column-types.ts'
import type { Compiler, RowsOfEntity } from './compiler.ts'
import { columnFilter, expandPolymorphic } from './orm-filter.ts'
import type { ColumnCondition } from './statement-builder.ts'
import type { ColumnType } from './values/listed-types.ts'
import { encodeTime } from './values/times.ts'

/** The rows that a condition is compiled for. */
interface Subject {
  readonly compiler: Compiler
  readonly rows: RowsOfEntity
  readonly alias: string
}

export function conditionSql(condition: Condition, subject: Subject): string {
  return visitCondition(condition, sqlOf, subject)
}

const sqlOf: ConditionVisitor<string, Subject> = {
  and: ({ conditions }, subject) =>
    `(${conditions.map((part) => conditionSql(part, subject)).join(' and ') || 'true'})`,
  or: ({ conditions }, subject) => `(${conditions.map((part) => conditionSql(part, subject)).join(' or ') || 'false'})`,
  not: ({ condition }, subject) => `not coalesce(${conditionSql(condition, subject)}, false)`,
  compare: predicateSql,
  in: predicateSql,
  text: predicateSql,
  null: ({ property }, { compiler, rows, alias }) => `${compiler.column(rows, property, alias)} is null`,
  exists: existsSql,
  pivot: ({ condition }, { compiler, alias }) => compiler.pivotCondition(condition, alias),
  native: nativeSql,
  never: () => 'false',
}

function predicateSql(condition: ColumnCondition, { compiler, rows, alias }: Subject): string {
  const column = compiler.column(rows, condition.property, alias)
  const slot = compiler.slotOf(condition)
  const bind: Bind = (read, cast) => compiler.bindFrom(slot, read as (condition: object) => unknown, cast)
  return predicate(condition, columnType(compiler.property(rows, condition.property)), column, bind)
}

function existsSql({ relation, condition }: ConditionOf<'exists'>, { compiler, alias }: Subject): string {
  const { target } = relation
  const inner = compiler.alias()
  const { from, on } = compiler.join(relation, alias, inner)
  const where = [on, ...compiler.filters(target, inner, condition ? [condition] : [])].join(' and ')
  return `exists (select 1 from ${from} where ${where})`
}

/** Compiles a filter over columns as a condition, and any other to MikroORM's subselect with its parameters bound. */
function nativeSql({ filter, declaredBy }: ConditionOf<'native'>, { compiler, rows, alias }: Subject): string {
  compiler.isCacheable = false
  const condition = columnFilter(filter, compiler.meta(rows))
  if (condition) return compiler.condition(condition, rows, alias)
  const keys = compiler.keys(rows).map((name) => compiler.column(rows, name, alias))
  return `(${keys.join(', ')}) in (${subselect(filter, declaredBy, compiler, rows)})`
}

/** Throws an error with the function that returned the filter if MikroORM cannot build a statement from it. */
function subselect(filter: object, declaredBy: string | undefined, compiler: Compiler, rows: RowsOfEntity): string {
  const { entityManager } = compiler.unit
  try {
    const query = entityManager
      .createQueryBuilder(rows.entity)
      .select(compiler.keys(rows) as never)
      .where(expandPolymorphic(filter, compiler.meta(rows), entityManager) as never)
      .toQuery()
    return bindFragment(query, entityManager.getPlatform(), (value) => compiler.bind(value))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`${declaredBy ?? 'A filter'} returned a filter that cannot be compiled. ${reason}`, { cause })
  }
}

/** Binds a value that is read from the condition. */
type Bind = (read: (condition: never) => unknown, cast?: string) => string

/** Column types that never match a text. */
const notTexts = new Set(
  ['int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'bool', 'timestamptz', 'timestamp'].concat('json', 'jsonb'),
)

/** An array column matches if one of its items does. */
function predicate(condition: ColumnCondition, type: ColumnType, column: string, bind: Bind): string {
  if (type.item) return arrayPredicate(condition, type, type.item, column, bind)
  switch (condition.kind) {
    case 'in':
      if (condition.values.length === 0) return 'false'
      if (condition.values.length === 1) return `${column} = ${bindOne(firstValue, type, bind)}`
      return `${column} = any(${bindList(listElements, type, bind)})`
    case 'compare': {
      const operator = condition.operator === '!=' ? '<>' : condition.operator
      return `${column} ${operator} ${bindOne(comparedValue, type, bind)}`
    }
    case 'text':
      return notTexts.has(type.cast) ? 'false' : `lower(${column}::text collate "C") like ${bind(likePattern)}`
  }
}

function arrayPredicate(
  condition: ColumnCondition,
  { cast }: ColumnType,
  item: ColumnType,
  column: string,
  bind: Bind,
): string {
  const listCast = item.listCast ?? cast
  if (condition.kind === 'in') return `${column} && ${bind(listElements, listCast)}`
  if (condition.kind === 'compare' && condition.operator === '=') return `${column} && ${bind(valueAsList, listCast)}`
  return `exists (select 1 from unnest(${column}) item where ${predicate(condition, item, 'item', bind)})`
}

/** Binds a value in its stored form. */
function bindOne<C>(read: (condition: C) => unknown, { cast, toStored, toStoredSql }: ColumnType, bind: Bind): string {
  const bound = bind(toStored ? (condition: C) => toBindable(toStored(read(condition))) : read, cast)
  return toStoredSql ? toStoredSql(bound) : bound
}

/** Binds values in their stored form, as an array or as rows. */
function bindList<C>(read: (condition: C) => readonly unknown[], type: ColumnType, bind: Bind): string {
  const { toStored, toStoredSql } = type
  const toBound = (value: unknown) => toBindable(toStored?.(value))
  const bound = bind(toStored ? (condition: C) => read(condition).map(toBound) : read, listCastOf(type))
  return toStoredSql ? `select ${toStoredSql('item')} from unnest(${bound}) item` : bound
}

const listElements = ({ values }: ConditionOf<'in'>) => {
  const bound: unknown[] = []
  for (const value of values) bound.push(Number.isInteger(value) ? value : toBindable(value))
  return bound
}
const firstValue = ({ values: [value] }: ConditionOf<'in'>) => toBindable(value)
const comparedValue = ({ value }: ConditionOf<'compare'>) => toBindable(value)
const valueAsList = ({ value }: ConditionOf<'compare'>) => [value]

/** NaN and invalid dates are bound as null, which no comparison matches. */
function toBindable(value: unknown): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : encodeTime(value)
  return Number.isNaN(value) ? null : value
}

/** The pattern for LIKE; only ASCII letters are case-insensitive. */
function likePattern({ match, text }: ConditionOf<'text'>): string {
  const literal = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/[\\%_]/g, '\\$&')
  return `${match === 'starts' ? '' : '%'}${literal}${match === 'ends' ? '' : '%'}`
}
