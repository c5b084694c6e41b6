import type { CatalogColumn, CatalogRelation } from './introspect.ts'
import { isMappable } from './names.ts'

/** The columns that identify a row. */
export interface Key {
  readonly columns: readonly string[]
  /** The column, if it is one whose values can be ids; otherwise the id is a text made of all columns. */
  readonly column: CatalogColumn | null
}

/** Types whose values can be ids as they are. */
const idTypes = new Set(['int2', 'int4', 'int8', 'uuid', 'text', 'varchar', 'bpchar'])

/** The primary key, or the first unique constraint without NULL; for a view the given column. Null if none can be mapped. */
export function keyOf(relation: CatalogRelation, viewKey?: string): Key | null {
  const isRequired = (name: string) => relation.columns.find((column) => column.name === name)?.isRequired
  const [primary] = relation.constraints.filter(({ kind }) => kind === 'primary key')
  const unique = relation.constraints.find(({ kind, columns }) => kind === 'unique' && columns.every(isRequired))
  const index = relation.indexes.find(
    ({ isUnique, isPlain, columns }) => isUnique && isPlain && columns.every(isRequired),
  )
  const columns = (primary ?? unique ?? index)?.columns ?? (viewKey ? [viewKey] : [])
  if (columns.length === 0 || !columns.every(isMappable)) return null
  const [name] = columns
  const single = columns.length === 1 && relation.columns.find((column) => column.name === name)
  const isBase = single && single.typeKind === 'b' && single.domainType === null
  const isId = isBase && idTypes.has(single.typeName) && (primary || viewKey)
  return { columns, column: isId ? single : null }
}

/** Columns of a view that may identify its rows, the likeliest first. */
export function viewKeyCandidates({ columns }: CatalogRelation): string[] {
  const names = columns.filter(({ typeName, typeKind }) => typeKind === 'b' && idTypes.has(typeName))
  const rank = ({ name }: CatalogColumn) => (name === 'id' ? 0 : /(?:id|uuid|key|code)$/i.test(name) ? 1 : 2)
  return names
    .toSorted((a, b) => rank(a) - rank(b))
    .map(({ name }) => name)
    .slice(0, 3)
}

/** Types whose text contains neither a dot nor a tilde. */
const plainTypes = new Set(['int2', 'int4', 'int8', 'uuid', 'date', 'bool'])

/** The SQL of the id of a row: its key columns as text, joined by dots; dots inside a value are escaped. */
export function keyExpression(columns: readonly { readonly typeName: string; readonly sql: string }[]): string {
  return columns
    .map(({ typeName, sql }) =>
      plainTypes.has(typeName) ? `${sql}::text` : `replace(replace(${sql}::text, '~', '~0'), '.', '~1')`,
    )
    .join(` || '.' || `)
}
