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
import { compileJoins, type Join } from './join.ts'
import { convertColumnFilters } from './orm-filter.ts'
import { writtenChains } from './row-version.ts'
import { ownerId, runStatement } from './run-statement.ts'
import { convertRows, selectList } from './select.ts'
import { createStatement, type Statement } from './statement.ts'

/** Creates a statement that selects rows of a type, with the scopes of all types that the selection reads. */
export function createRowsStatement(
  type: ResourceType,
  selection: Selection,
  conditions: readonly Condition[],
  context: Context,
  addressed?: readonly ResourceType[],
): Awaitable<Statement> {
  return createStatement(type, typesRead(selection, type), conditions, context, addressed)
}

/** The types whose rows a statement with the selection reads. */
export function typesRead(selection: Selection, type: ResourceType): readonly ResourceType[] {
  return typesOfSelections.get(selection) ?? getOrCreate(typesOfSelections, selection, () => typesOf(selection, type))
}

const typesOfSelections = new WeakMap<Selection, readonly ResourceType[]>()

function typesOf({ links, chained, version }: Selection, type: ResourceType): ResourceType[] {
  return [
    type,
    ...links.flatMap((relation) => relation.targets),
    ...[...chained, ...(version ? writtenChains(type) : [])].flatMap((attribute) => chainTypes(type, attribute)),
  ]
}

const noJoins: readonly Join[] = []
const none: readonly Condition[] = []

/** Reads the rows that meet a condition on their key, within their scope unless the request has just written them. */
export async function selectRows(
  type: ResourceType,
  keyCondition: Condition,
  conditions: readonly Condition[],
  selection: Selection,
  context: Context,
  options: ReadOptions = {},
): Promise<Row[]> {
  const pending = createRowsStatement(type, selection, conditions, context, options.addressed ? [type] : undefined)
  const statement = isThenable(pending) ? await pending : pending
  const rows = await selectByKey(type, keyCondition, statement, selection, context, options)
  return convertRows(type, selection, rows, unitOf(context))
}

/** Reads the row that meets a condition on its key. Null if it does not exist for the requester. */
export function selectOne(
  type: ResourceType,
  keyCondition: Condition,
  selection: Selection,
  context: Context,
  options: ReadOptions,
): Promise<Row | null> {
  const addressed = options.addressed ? [type] : undefined
  const pending = createStatement(type, typesRead(selection, type), none, context, addressed)
  const rows = isThenable(pending)
    ? pending.then((statement) => selectByKey(type, keyCondition, statement, selection, context, options))
    : selectByKey(type, keyCondition, pending, selection, context, options)
  return rows.then((found) => convertRows(type, selection, found, unitOf(context))[0] ?? null)
}

/** Sends the statement of `selectRows`. The rows are as the driver returns them, with the columns of the joins. */
export function selectByKey(
  type: ResourceType,
  keyCondition: Condition,
  statement: Statement,
  selection: Selection,
  context: Context,
  { justWritten = false, mark }: ReadOptions,
  joins = noJoins,
): Promise<Row[]> {
  const hasKey = statement.addCondition(keyCondition, justWritten ? 'written' : 'keys')
  for (const join of joins) statement.shape += `|${join.relation.name} ${ownerId(join.selection)}`
  const [marked] = mark ? convertColumnFilters([mark], type, unitOf(context).orm) : []
  const isMarked = marked && statement.addCondition(marked, 'mark')
  return runStatement(selection, statement, context, (compiler, conditions) => {
    const alias = compiler.alias()
    const where = [compiler.condition(hasKey(), type, alias)]
    if (!justWritten) where.push(...compiler.filters(type, alias, conditions))
    const extraColumns = isMarked ? [markColumn(compiler, isMarked(), type, alias)] : []
    return selectText(compiler, type, selection, { alias, where, extraColumns, joins })
  })
}

/** Selects under `#within` whether a row meets a condition. */
export function markColumn(compiler: Compiler, condition: Condition, type: ResourceType, alias: string): string {
  return `coalesce(${compiler.scopeCondition(condition, type, alias)}, false) as ${quote(markKey)}`
}

interface SelectParts {
  readonly alias: string
  readonly where: readonly string[]
  readonly extraColumns?: readonly string[]
  readonly joins?: readonly Join[]
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
  { alias, where, extraColumns = [], joins = noJoins, tail = '', offsetOrder = '' }: SelectParts,
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
