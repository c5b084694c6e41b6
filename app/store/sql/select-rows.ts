import {
  type Condition,
  type Context,
  chainTypes,
  convertNative,
  inWriteScopeKey,
  isIn,
  type ReadOptions,
  type ResourceType,
  type Row,
  type Selection,
} from '#kernel/store'
import { quoteIdentifier } from './columns/column-sql.ts'
import type { Compiler } from './compiler.ts'
import { compileJoins, type Join, type Joins } from './join.ts'
import { writtenChains } from './row-version.ts'
import { runStatement } from './run-statement.ts'
import { convertRows, selectList } from './select.ts'
import { createStatement, StatementBuilder } from './statement-builder.ts'

declare module '#kernel/store' {
  interface SelectionParts {
    types?: readonly ResourceType[]
  }
}

/** The types whose rows a statement with the selection reads. */
export function typesRead(selection: Selection, type: ResourceType): readonly ResourceType[] {
  selection.parts.types ??= selectedTypes(selection, type)
  return selection.parts.types
}

function selectedTypes({ links, chained, version }: Selection, type: ResourceType): ResourceType[] {
  return [
    type,
    ...links.flatMap((relation) => relation.targets),
    ...[...chained, ...(version ? writtenChains(type) : [])].flatMap((attribute) => chainTypes(type, attribute)),
  ]
}

const none: readonly Condition[] = []

interface RowsOptions extends Pick<ReadOptions, 'justWritten' | 'addressed' | 'mark'> {
  readonly where?: readonly Condition[]
  readonly joins?: Joins | undefined
}

/** Reads the rows with some keys, within their scope unless the request has just written them. */
export function selectRows(
  type: ResourceType,
  keys: readonly unknown[],
  selection: Selection,
  context: Context,
  options: RowsOptions = {},
): Promise<Row[]> {
  const { where = none, joins, addressed } = options
  const types = joins?.types ?? typesRead(selection, type)
  const pending = createStatement(type, types, where, context, addressed ? [type] : undefined)
  return pending instanceof StatementBuilder
    ? selectByKey(type, keys, pending, selection, options)
    : pending.then((statement) => selectByKey(type, keys, statement, selection, options))
}

function selectByKey(
  type: ResourceType,
  keys: readonly unknown[],
  statement: StatementBuilder,
  selection: Selection,
  { justWritten = false, mark, joins }: RowsOptions,
): Promise<Row[]> {
  const hasKey = isIn(type.id.property, keys)
  statement.add(`${justWritten ? 'written' : 'keys'} ${Math.min(keys.length, 2)}`, hasKey)
  if (joins) statement.shape += joins.shape
  const { orm } = statement.unit
  const marked = mark && convertNative(mark, type.shape)
  if (marked) statement.addCondition(marked, 'mark')
  const rows = runStatement(selection.parts, statement, (compiler, conditions) => {
    const alias = compiler.alias()
    const where = [compiler.condition(hasKey, type, alias)]
    if (!justWritten) where.push(...compiler.filters(type, alias, conditions))
    const extraColumns = marked ? [markColumn(compiler, marked, type, alias)] : []
    return selectText(compiler, type, selection, { alias, where, extraColumns, joins: joins?.list })
  })
  return rows.then((found) => convertRows(type, selection, found, orm))
}

/** Selects under `inWriteScopeKey` whether a row meets a condition. */
export function markColumn(compiler: Compiler, condition: Condition, type: ResourceType, alias: string): string {
  return `coalesce(${compiler.scopeCondition(condition, type, alias)}, false) as ${quoteIdentifier(inWriteScopeKey)}`
}

interface SelectParts {
  readonly alias: string
  readonly where: readonly string[]
  readonly extraColumns?: readonly string[]
  readonly joins?: readonly Join[] | undefined
  /** The clauses after WHERE. */
  readonly tail?: string
  /** The ORDER BY of a statement with an OFFSET. */
  readonly offsetOrder?: string
}

/**
 * The text of a statement that selects rows. With an OFFSET, an inner statement skips the rows if a column is a subselect,
 * which PostgreSQL would also evaluate for skipped rows.
 */
export function selectText(
  compiler: Compiler,
  type: ResourceType,
  selection: Selection,
  { alias, where, extraColumns = [], joins = [], tail = '', offsetOrder = '' }: SelectParts,
): string {
  const joined = compileJoins(compiler, joins, alias)
  const columns = [...selectList(compiler, type, selection, alias), ...joined.columns, ...extraColumns].join(', ')
  const condition = where.length > 0 ? ` where ${where.join(' and ')}` : ''
  const source = `${compiler.table(type)} ${alias}${joined.tables}${condition}${tail}`
  const skipsFirst = offsetOrder !== '' && columns.includes('(select ')
  const { view, tptParent } = compiler.meta(type)
  const all = selection.version && !view && !tptParent ? `*, ${alias}.xmin` : '*'
  return `select ${columns} from ${skipsFirst ? `(select ${all} from ${source}) ${alias}${offsetOrder}` : source}`
}
