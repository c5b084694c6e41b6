import {
  type Condition,
  type Context,
  chainTypes,
  type ReadOptions,
  type Rec,
  type ResourceType,
  type Selection,
} from '#kernel'
import { Compiler } from './compiler.ts'
import { resolveScopes } from './scopes.ts'
import { convertRows, selectList } from './select.ts'
import { run, unitOf } from './unit.ts'

/** A compiler that knows the scope of every type the statement will touch. */
export async function startSelect(
  type: ResourceType,
  selection: Selection,
  conditions: readonly Condition[],
  context: Context,
): Promise<Compiler> {
  const types = [
    type,
    ...selection.links.flatMap((relation) => relation.targets),
    ...selection.chained.flatMap((attribute) => chainTypes(type, attribute)),
  ]
  return new Compiler(unitOf(context), await resolveScopes(types, conditions, context))
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

export async function readByKeys(
  type: ResourceType,
  keys: readonly unknown[],
  conditions: readonly Condition[],
  selection: Selection,
  context: Context,
  { justWritten = false }: ReadOptions = {},
): Promise<Rec[]> {
  const compiler = await startSelect(type, selection, conditions, context)
  const alias = compiler.alias()
  const where = [compiler.isAnyOf(type, type.id.property, keys, alias)]
  if (!justWritten) where.push(...filters(compiler, type, conditions, alias))
  return readRows(compiler, type, selection, alias, where, '', context)
}

export async function readRows(
  compiler: Compiler,
  type: ResourceType,
  selection: Selection,
  alias: string,
  where: readonly string[],
  tail: string,
  context: Context,
  further: readonly string[] = [],
  skips = '',
): Promise<Rec[]> {
  const columns = [...selectList(compiler, type, selection, alias), ...further].join(', ')
  const condition = where.length > 0 ? ` where ${where.join(' and ')}` : ''
  const source = `${compiler.table(type)} ${alias}${condition}${tail}`
  // PostgreSQL would look up the columns of other tables for the rows it skips, too.
  const looksAround = skips !== '' && columns.includes('(select ')
  const from = looksAround ? `(select * from ${source}) ${alias}${skips}` : source
  const rows = await run(`select ${columns} from ${from}`, compiler.parameters, context)
  return convertRows(compiler, type, selection, rows)
}
