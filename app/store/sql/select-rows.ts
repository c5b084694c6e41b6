import {
  type Awaitable,
  type Condition,
  type Context,
  chainTypes,
  getOrCreate,
  isThenable,
  markKey,
  type ReadOptions,
  type ResourceType,
  type Row,
  type Selection,
} from '#kernel/store'
import { unitOf } from '../unit.ts'
import { quote } from './columns/column-sql.ts'
import type { Compiler } from './compiler.ts'
import { compileJoins, type JoinedSelection, splitJoined } from './join.ts'
import { convertColumnFilters } from './orm-filter.ts'
import { writtenChains } from './row-version.ts'
import { convertRows, selectList } from './select.ts'
import { runCached } from './statement-cache.ts'
import { createStatementKey, type StatementKey } from './statement-key.ts'

/** Creates the key of a statement that selects rows of a type, with the scopes of all types that the selection reads. */
export function createRowsKey(
  type: ResourceType,
  selection: Selection,
  conditions: readonly Condition[],
  context: Context,
  addressed?: readonly ResourceType[],
): Awaitable<StatementKey> {
  return createStatementKey(type, typesRead(selection, type), conditions, context, addressed)
}

/** The types whose rows a statement with the selection reads. */
export function typesRead(selection: JoinedSelection, type: ResourceType): readonly ResourceType[] {
  return getOrCreate(typesOfSelections, selection, () => typesOf(selection, type))
}

const typesOfSelections = new WeakMap<Selection, readonly ResourceType[]>()

function typesOf({ links, chained, version, joins = [] }: JoinedSelection, type: ResourceType): ResourceType[] {
  return [
    type,
    ...joins.flatMap(({ relation, selection }) => typesOf(selection, relation.target)),
    ...links.flatMap((relation) => relation.targets),
    ...[...chained, ...(version ? writtenChains(type) : [])].flatMap((attribute) => chainTypes(type, attribute)),
  ]
}

/** Reads the rows that meet a condition on their key, within their scope unless the request has just written them. */
export async function selectRows(
  type: ResourceType,
  keyCondition: Condition,
  conditions: readonly Condition[],
  selection: JoinedSelection,
  context: Context,
  { justWritten = false, addressed = false, mark }: ReadOptions = {},
): Promise<Row[]> {
  const pending = createRowsKey(type, selection, conditions, context, addressed ? [type] : undefined)
  const key = isThenable(pending) ? await pending : pending
  key.addCondition(keyCondition, justWritten ? 'written' : 'keys')
  const [marked] = mark ? convertColumnFilters([mark], type, unitOf(context).orm) : []
  if (marked) key.addCondition(marked, 'mark')
  const rows = await runCached(selection, key, context, (compiler) => {
    const alias = compiler.alias()
    const where = [compiler.condition(keyCondition, type, alias)]
    if (!justWritten) where.push(...compiler.filters(type, alias, key.where))
    const columns = marked ? [markColumn(compiler, marked, type, alias)] : []
    return selectText(compiler, type, selection, { alias, where, extraColumns: columns })
  })
  if (selection.joins) splitJoined(rows, selection.joins, unitOf(context))
  return convertRows(type, selection, rows, unitOf(context))
}

/** Selects under `#within` whether a row meets a condition. */
export function markColumn(compiler: Compiler, condition: Condition, type: ResourceType, alias: string): string {
  return `coalesce(${compiler.scopeCondition(condition, type, alias)}, false) as ${quote(markKey)}`
}

interface SelectParts {
  readonly alias: string
  readonly where: readonly string[]
  readonly extraColumns?: readonly string[]
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
  selection: JoinedSelection,
  { alias, where, extraColumns = [], tail = '', offsetOrder = '' }: SelectParts,
): string {
  const joins = compileJoins(compiler, selection.joins ?? [], alias)
  const columns = [...selectList(compiler, type, selection, alias), ...joins.columns, ...extraColumns].join(', ')
  const condition = where.length > 0 ? ` where ${where.join(' and ')}` : ''
  const source = `${compiler.table(type)} ${alias}${joins.tables}${condition}${tail}`
  const skipsFirst = offsetOrder !== '' && columns.includes('(select ')
  const { view, tptParent } = compiler.meta(type)
  const all = selection.version && !view && !tptParent ? `*, ${alias}.xmin` : '*'
  return `select ${columns} from ${skipsFirst ? `(select ${all} from ${source}) ${alias}${offsetOrder}` : source}`
}
