import {
  type Awaitable,
  type Condition,
  type Context,
  chainTypes,
  getOrCreate,
  type ReadOptions,
  type ResourceType,
  type Row,
  type Selection,
  withinKey,
} from '#kernel/store'
import { unitOf } from '../unit.ts'
import { type Compiler, quote } from './compiler.ts'
import { toPlain } from './orm-filter.ts'
import { convertRows, selectList } from './select.ts'
import { runCached } from './statement-cache.ts'
import { createStatementKey, type StatementKey } from './statement-key.ts'

/** A question about the rows of a type, which knows the scope of every type the selection looks at. */
export function askRows(
  type: ResourceType,
  selection: Selection,
  conditions: readonly Condition[],
  context: Context,
  addressed?: ResourceType,
): Awaitable<StatementKey> {
  return createStatementKey(
    type,
    getOrCreate(touched, selection, () => touchedBy(selection, type)),
    conditions,
    context,
    addressed,
  )
}

const touched = new WeakMap<Selection, readonly ResourceType[]>()

function touchedBy({ links, chained }: Selection, type: ResourceType): readonly ResourceType[] {
  return [
    type,
    ...links.flatMap((relation) => relation.targets),
    ...chained.flatMap((attribute) => chainTypes(type, attribute)),
  ]
}

/** The rows a condition names, within their scope unless the request has just written them. */
export async function readThose(
  type: ResourceType,
  those: Condition,
  conditions: readonly Condition[],
  selection: Selection,
  context: Context,
  options?: ReadOptions,
): Promise<Row[]> {
  const justWritten = options?.justWritten ?? false
  const asking = askRows(type, selection, conditions, context, options?.addressed ? type : undefined)
  const asked = asking instanceof Promise ? await asking : asking
  asked.those(those, justWritten ? 'written' : 'those')
  const [mark] = options?.mark ? toPlain([options.mark], type, unitOf(context).orm) : []
  if (mark) asked.those(mark, 'mark')
  const rows = await runCached(selection, asked, context, (compiler) => {
    const alias = compiler.alias()
    const where = [compiler.condition(those, type, alias)]
    if (!justWritten) where.push(...filters(compiler, type, asked.where, alias))
    const further = mark ? [markColumn(compiler, mark, type, alias)] : []
    return selectText(compiler, type, selection, alias, where, '', further)
  })
  return convertRows(type, selection, rows, unitOf(context))
}

/** Whether a row meets a condition, under `#within`. */
export function markColumn(compiler: Compiler, condition: Condition, type: ResourceType, alias: string): string {
  return `coalesce(${compiler.condition(condition, type, alias)}, false) as ${quote(withinKey)}`
}

/** What keeps rows out: the scope of the type, then the conditions asked for. */
export function filters(
  compiler: Compiler,
  type: ResourceType,
  conditions: readonly Condition[],
  alias: string,
): string[] {
  const scope = compiler.scope(type, alias)
  return [...(scope ? [scope] : []), ...conditions.map((condition) => compiler.condition(condition, type, alias))]
}

export function selectText(
  compiler: Compiler,
  type: ResourceType,
  selection: Selection,
  alias: string,
  where: readonly string[],
  tail = '',
  further: readonly string[] = [],
  skips = '',
): string {
  const columns = [...selectList(compiler, type, selection, alias), ...further].join(', ')
  const condition = where.length > 0 ? ` where ${where.join(' and ')}` : ''
  const source = `${compiler.table(type)} ${alias}${condition}${tail}`
  // PostgreSQL would look up the columns of other tables for the rows it skips, too.
  const looksAround = skips !== '' && columns.includes('(select ')
  return `select ${columns} from ${looksAround ? `(select * from ${source}) ${alias}${skips}` : source}`
}
