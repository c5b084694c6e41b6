import type { TableRecord } from './table-records.ts'

/**
 * The record of a table as the function of the triggers reads it: lists in place of objects, so that a loop needs no query.
 * `members`: the name of each member and its columns, in alphabetical order. `kept`: the name of each kept member and its column.
 */
export function toTriggerArgument({ rows, links }: TableRecord): string {
  const listed = rows.map(({ columns, kept, ...row }) => {
    return { ...row, members: listMembers(columns), ...(kept && { kept: Object.entries(kept) }) }
  })
  return JSON.stringify({ rows: listed, links })
}

function listMembers(columns: TableRecord['rows'][number]['columns']): string[][] {
  const pairs = Object.entries(columns).flatMap(([column, members]) => members.map((member) => ({ member, column })))
  const byMember = Map.groupBy(pairs, ({ member }) => member)
  const names = [...byMember.keys()].sort()
  return names.map((name) => [name, ...(byMember.get(name) ?? []).map(({ column }) => column)])
}
