import {
  chainKey,
  isPolymorphic,
  linkKey,
  linkTypeKey,
  type Relation,
  type ResourceType,
  type Row,
  type Selection,
  versionKey,
} from '#kernel/store'
import type { Orm } from '../connection/types.ts'
import type { Compiler } from './compiler.ts'
import { convertRows, selectColumns } from './select.ts'

/** A to-one relation whose row is read by a join in the statement of its parent. */
export interface Join {
  readonly relation: Relation
  /** The columns of the related row. */
  readonly selection: Selection
}

/** The joins of a statement. */
export interface Joins {
  readonly list: readonly Join[]
  /** The types that the statement reads. */
  readonly types: readonly ResourceType[]
  /** The part of the shape of the statement. */
  readonly shape: string
}

/** The tables of the joins of a statement, and their columns. Rows that are out of scope are not joined. */
export function compileJoins(compiler: Compiler, joins: readonly Join[], alias: string) {
  let tables = ''
  const columns = joins.flatMap(({ relation, selection }, index) => {
    const { target } = relation
    const inner = compiler.alias()
    const { from, on } = compiler.join(relation, alias, inner)
    tables += ` left join ${from} on ${[on, ...compiler.filters(target, inner)].join(' and ')}`
    return selectByPosition(compiler, target, selection, inner, joinPrefix(index))
  })
  return { tables, columns }
}

function joinPrefix(index: number): string {
  return `#${index}.`
}

/** The row of a join in the row of its parent. Null if there is no related row. */
export function joinedRow(parent: Row, { relation, selection }: Join, index: number, orm: Orm): Row | null {
  const { target } = relation
  const row = rowByPosition(parent, selection, joinPrefix(index))
  if (row[target.id.property] === null) return null
  convertRows(target, selection, [row], orm)
  return row
}

/** Names the columns by position: the tables of a statement may share names, and PostgreSQL truncates long ones. */
export function selectByPosition(
  compiler: Compiler,
  type: ResourceType,
  selection: Selection,
  alias: string,
  prefix: string,
): string[] {
  return selectColumns(compiler, type, selection, alias).map(({ sql }, position) => `${sql} as "${prefix}${position}"`)
}

/** The record of a selection that was selected by position. */
export function rowByPosition(selected: Row, selection: Selection, prefix: string): Row {
  const row: Row = {}
  for (const [position, name] of namesIn(selection).entries()) row[name] = selected[`${prefix}${position}`]
  return row
}

/** The names of the columns of a selection, in the order of `selectColumns`. */
function namesIn({ properties, links, chained, paths, version }: Selection): readonly string[] {
  return [
    ...properties,
    ...links.flatMap((relation) =>
      isPolymorphic(relation) ? [linkTypeKey(relation), linkKey(relation)] : [linkKey(relation)],
    ),
    ...chained.map(chainKey),
    ...paths,
    ...(version ? [versionKey] : []),
  ]
}
