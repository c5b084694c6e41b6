import type { CatalogColumn, CatalogConstraint, CatalogRelation } from './introspect.ts'
import { isMappable } from './names.ts'
import type { Secrets } from './secrets.ts'
import { definedKey } from './view-keys.ts'

/** The columns that identify a row. */
export interface Key {
  readonly columns: readonly string[]
  /** The column, if it is one whose values can be ids; otherwise the id is a text made of all columns. */
  readonly column: CatalogColumn | null
}

/** Types whose values can be ids as they are. */
const idTypes = new Set(['int2', 'int4', 'int8', 'uuid', 'text', 'varchar', 'bpchar'])

/**
 * The primary key, or the first unique constraint without NULL; for a view and a partitioned table the columns that `rowKey`
 * names. Null if none can be mapped.
 */
export function chooseKey(relation: CatalogRelation, rowKey?: readonly string[]): Key | null {
  const isRequired = (name: string) => relation.columns.find((column) => column.name === name)?.isRequired
  const primary = findPrimaryKey(relation)
  const unique = relation.constraints.find(({ kind, columns }) => kind === 'unique' && columns.every(isRequired))
  const index = relation.indexes.find(
    ({ isUnique, isPlain, columns }) => isUnique && isPlain && columns.every(isRequired),
  )
  const columns = rowKey ?? (primary ?? unique ?? index)?.columns ?? []
  if (columns.length === 0 || !columns.every(isMappable)) return null
  const [name] = columns
  const single = columns.length === 1 && relation.columns.find((column) => column.name === name)
  const isBase = single && single.typeKind === 'b' && single.domainType === null
  const isId = isBase && idTypes.has(single.typeName) && (primary || rowKey)
  return { columns, column: isId ? single : null }
}

/** Columns that may identify the rows of a view or of a partitioned table. */
export interface RowKeyCandidate {
  readonly columns: readonly string[]
  /** Whether a constraint or the query keeps them unique; otherwise only rows show it. */
  readonly isProven: boolean
}

/** The keys that the rows of a view or of a partitioned table may have, the likeliest first. Empty for other tables. */
export function rowKeyCandidates(
  relation: CatalogRelation,
  relations: readonly CatalogRelation[],
  secrets: Secrets,
): readonly RowKeyCandidate[] {
  if (relation.kind !== 'table') return viewKeyCandidates(relation, relations, secrets)
  if (relation.partitionKey === null) return []
  const key = (findPrimaryKey(relation) ?? sharedBy(listLeaves(relation, relations)).find(isPrimary))?.columns ?? []
  const own = key.filter((column) => !relation.partitionColumns.includes(column))
  const isProven = relation.partitionColumns.every((column) => key.includes(column))
  return [
    ...(own.length < key.length && own.length > 0 ? [{ columns: own, isProven: false }] : []),
    ...(findPrimaryKey(relation) || key.length === 0 ? [] : [{ columns: key, isProven }]),
  ]
}

/** The partitions with rows of a partitioned table. */
export function listLeaves({ name }: CatalogRelation, relations: readonly CatalogRelation[]): CatalogRelation[] {
  return relations
    .filter(({ partition }) => partition?.parent === name)
    .flatMap((part) => (part.partitionKey === null ? part : listLeaves(part, relations)))
}

/** The primary keys and foreign keys that each of the tables has. */
export function sharedBy(tables: readonly CatalogRelation[]): CatalogConstraint[] {
  const [first, ...others] = tables
  const form = ({ kind, columns, target, targetColumns }: CatalogConstraint) =>
    JSON.stringify([kind, columns, target, targetColumns])
  return (first?.constraints ?? [])
    .filter(({ kind }) => kind === 'primary key' || kind === 'foreign key')
    .filter((one) => others.every(({ constraints }) => constraints.some((other) => form(other) === form(one))))
}

function findPrimaryKey({ constraints }: CatalogRelation): CatalogConstraint | undefined {
  return constraints.find(isPrimary)
}

function isPrimary({ kind }: CatalogConstraint): boolean {
  return kind === 'primary key'
}

/** The unique indexes of a materialized view, the key that its query shows, then single columns. */
function viewKeyCandidates(
  relation: CatalogRelation,
  relations: readonly CatalogRelation[],
  secrets: Secrets,
): RowKeyCandidate[] {
  const { columns, indexes } = relation
  const uniques = indexes.filter(({ isUnique, isPlain }) => isUnique && isPlain)
  const proven = [...uniques.map((index) => index.columns), definedKey(relation, relations) ?? []]
  const isSecret = (name: string) => secrets.has(`${relation.name}.${name}`)
  const isShown = (names: readonly string[]) => names.length > 0 && !names.some(isSecret)
  const names = columns.filter(
    ({ name, typeName, typeKind }) =>
      (typeKind === 'e' || (typeKind === 'b' && idTypes.has(typeName))) && !isSecret(name),
  )
  const rank = ({ name }: CatalogColumn) => (name === 'id' ? 0 : /(?:id|uuid|key|code)$/i.test(name) ? 1 : 2)
  const likely = names.toSorted((a, b) => rank(a) - rank(b)).slice(0, 3)
  return [
    ...proven.filter(isShown).map((key) => ({ columns: key, isProven: true })),
    ...likely.map(({ name }) => ({ columns: [name], isProven: false })),
  ]
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
