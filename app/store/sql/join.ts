import { getOrCreate, type Relation, type ResourceType, type Row, type Selection } from '#kernel/store'
import type { StoreUnit } from '../unit.ts'
import type { Compiler } from './compiler.ts'
import { type Column, convertRows, selectColumns } from './select.ts'

/** A to-one relation whose row is read by a join in the statement of its parent. */
export interface Join {
  readonly relation: Relation
  /** The columns of the related row. */
  readonly selection: Selection
}

export interface JoinedSelection extends Selection {
  readonly joins?: readonly Join[]
}

const joinedSelections = new WeakMap<Selection, Map<Relation, WeakMap<Selection, JoinedSelection>>>()

/** Adds a join to a selection. Returns the same object for the same join, because it is a cache key of statements. */
export function addJoin(selection: JoinedSelection, join: Join): JoinedSelection {
  const byRelation = getOrCreate(
    joinedSelections,
    selection,
    () => new Map<Relation, WeakMap<Selection, JoinedSelection>>(),
  )
  const bySelection = getOrCreate(byRelation, join.relation, () => new WeakMap<Selection, JoinedSelection>())
  return getOrCreate(bySelection, join.selection, () => ({ ...selection, joins: [...(selection.joins ?? []), join] }))
}

function joinedKey(relation: Relation): string {
  return `#joined:${relation.name}`
}

interface Joined {
  readonly selection: Selection
  readonly row: Row | null
}

/** Null if there is no related row, undefined if it was not joined with these columns. */
export function joinedRow(parent: Row, relation: Relation, selection: Selection): Row | null | undefined {
  const joined = parent[joinedKey(relation)] as Joined | undefined
  return joined?.selection === selection ? joined.row : undefined
}

/** The tables of the joins of a statement, and their columns. Rows that are out of scope are not joined. */
export function compileJoins(compiler: Compiler, joins: readonly Join[], alias: string) {
  let tables = ''
  const columns = joins.flatMap(({ relation, selection }, index) => {
    const { target } = relation
    const inner = compiler.alias()
    const { from, on } = compiler.join(relation, alias, inner)
    tables += ` left join ${from} on ${[on, ...compiler.filters(target, inner)].join(' and ')}`
    return selectByPosition(compiler, target, selection, inner, `#${index}.`)
  })
  return { tables, columns }
}

/** Moves the columns of the joins to rows of their own, for `joinedRow`. */
export function splitJoined(parents: readonly Row[], joins: readonly Join[], unit: StoreUnit): void {
  for (const [index, { relation, selection }] of joins.entries()) {
    const { target } = relation
    for (const parent of parents) {
      const row = rowByPosition(parent, selection, `#${index}.`)
      const isFound = row[target.id.property] !== null
      if (isFound) convertRows(target, selection, [row], unit)
      parent[joinedKey(relation)] = { selection, row: isFound ? row : null } satisfies Joined
    }
  }
}

/** The columns of each selection that was compiled by position. */
const columnsOf = new WeakMap<Selection, readonly Column[]>()

/** Names the columns by position: the tables of a statement may share names, and PostgreSQL truncates long ones. */
export function selectByPosition(
  compiler: Compiler,
  type: ResourceType,
  selection: Selection,
  alias: string,
  prefix: string,
): string[] {
  const columns = selectColumns(compiler, type, selection, alias)
  columnsOf.set(selection, columns)
  return columns.map(({ sql }, position) => `${sql} as "${prefix}${position}"`)
}

/** The record of a selection that was selected by position. */
export function rowByPosition(selected: Row, selection: Selection, prefix: string): Row {
  const columns = columnsOf.get(selection) as readonly Column[]
  const row: Row = {}
  for (const [position, { name }] of columns.entries()) row[name] = selected[`${prefix}${position}`]
  return row
}
