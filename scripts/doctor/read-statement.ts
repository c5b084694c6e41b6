/** The shape of a statement that the store has compiled. */
export interface StatementShape {
  /** `one`: by the key of one row. `keys`: by a list of keys. `members`: by the foreign key of a relation, or another column. */
  readonly kind: 'insert' | 'update' | 'delete' | 'lock' | 'one' | 'keys' | 'members' | 'collection'
  /** The table of the rows that are read or written. */
  readonly table: string
  /** Of `members`: the join table of a many-to-many, else the table of the rows. */
  readonly parentTable: string
  /** Of `one`, `keys` and `members`: the column of the first condition. */
  readonly column: string | null
}

const write = /^(insert into|update|delete from) (?:"[^"]+"\.)?"([^"]+)"/
const source = /\bfrom "([^"]+)" (?:t0\b|t1 join "([^"]+)" t0\b)/
const firstCondition = /\bwhere \(?t\d+\."([^"]+)" = (any\b)?/

/** Reads the table and the first condition of a statement. Returns null for a statement that the store does not compile. */
export function readStatement(sql: string, isKey: (table: string, column: string) => boolean): StatementShape | null {
  const text = sql.replace(/\s+/g, ' ').trim()
  const [, verb, written] = write.exec(text) ?? []
  if (verb && written) return { kind: kinds[verb] ?? 'update', table: written, parentTable: written, column: null }
  const found = source.exec(text)
  if (!found) return null
  const [match, parentTable = '', joined] = found
  const table = joined ?? parentTable
  const [, column = null, isList] = firstCondition.exec(text.slice(found.index + match.length)) ?? []
  const shape = { table, parentTable, column }
  if (/ for (?:no key )?update\b/.test(text)) return { ...shape, kind: 'lock' }
  if (column === null) return { ...shape, kind: 'collection' }
  if (joined === undefined && isKey(table, column)) return { ...shape, kind: isList ? 'keys' : 'one' }
  return { ...shape, kind: 'members' }
}

const kinds: Readonly<Record<string, StatementShape['kind']>> = {
  'insert into': 'insert',
  update: 'update',
  'delete from': 'delete',
}
