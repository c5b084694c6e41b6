/** The shape of a statement that the store has compiled. */
export interface StatementShape {
  /**
   * `one`: by the key of one row. `keys`: by a list of keys. `members`: by the foreign key of a relation, or another column.
   * `page`: members of one parent, together with the parent.
   */
  readonly kind: 'insert' | 'update' | 'delete' | 'lock' | 'one' | 'keys' | 'members' | 'page' | 'collection'
  /** The table of the rows that are read or written. */
  readonly table: string
  /** Of `members` and `page`: the join table of a many-to-many, else the table of the rows. */
  readonly parentTable: string
  /** Of `one`, `keys`, `members` and `page`: the column of the first condition. */
  readonly column: string | null
}

const write = /^(insert into|update|delete from) (?:"[^"]+"\.)?"([^"]+)"/
const source = /\bfrom "([^"]+)" (?:t0\b|t1 join "([^"]+)" t0\b)/
const relatedPage = / left join lateral \((.+)\) m on true where /
const firstCondition = /\bwhere \(?t\d+\."([^"]+)" = (any\b)?/

/** Reads the table and the first condition of a statement. Returns null for a statement that the store does not compile. */
export function readStatement(sql: string, isKey: (table: string, column: string) => boolean): StatementShape | null {
  const text = sql.replace(/\s+/g, ' ').trim()
  const [, verb, written] = write.exec(text) ?? []
  if (verb && written) return { kind: kinds[verb] ?? 'update', table: written, parentTable: written, column: null }
  const [, page] = relatedPage.exec(text) ?? []
  if (page) return readPage(page, isKey)
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

/** The aliases of a related page begin at t1, because the parent is t0. */
function readPage(text: string, isKey: Parameters<typeof readStatement>[1]): StatementShape | null {
  const shape = readStatement(
    text.replace(/\bt(\d+)\b/g, (_, number) => `t${number - 1}`),
    isKey,
  )
  return shape && { ...shape, kind: 'page' }
}

const kinds: Readonly<Record<string, StatementShape['kind']>> = {
  'insert into': 'insert',
  update: 'update',
  'delete from': 'delete',
}
