import type { AttributePlan, TypePlan } from './plan-types.ts'

/** Whether values can be compared with others of their column: in a sort, and by a filter. */
export function isComparable({ mapping, column }: AttributePlan): boolean {
  return (
    mapping.isWritable &&
    !(column.typeKind === 'e' && column.type !== column.baseType) && // a domain has no operators of its enum
    !['arrayList', 'arrayHash'].includes(mapping.builder ?? 'arrayList') &&
    column.typeName !== 'interval'
  )
}

/** Whether a B-tree index starts with the column. */
export function isIndexed({ relation }: TypePlan, column: string): boolean {
  const keys = relation.constraints.filter(({ kind }) => kind === 'unique' || kind === 'primary key')
  return [...relation.indexes.filter(({ isOrdered }) => isOrdered), ...keys].some(
    ({ columns }) => columns[0] === column,
  )
}

/** Whether expressions can compare the attribute, with an index. */
export function isFilterable(attribute: AttributePlan, type: TypePlan): boolean {
  return !attribute.isSecret && isComparable(attribute) && isIndexed(type, attribute.column.name)
}

/** The filters of columns with an index, of enums and booleans, and of foreign keys. */
export function filtersSource(type: TypePlan): string {
  const filters = [
    ...type.attributes.flatMap((attribute) => attributeFilter(attribute, type)),
    ...type.toOnes.map(({ property }) => `whereIdIn('${property}', '${property}')`),
  ]
  if (filters.length === 0) return ''
  const builders = [...new Set(filters.map((filter) => filter.slice(0, filter.indexOf('('))))]
  return `filters: ({ ${builders.join(', ')} }) => [${filters.join(', ')}],`
}

const rangeBuilders: Readonly<Record<string, string>> = {
  integer: 'range',
  decimal: 'range',
  date: 'dateRange',
  dateTime: 'dateRange',
}

function attributeFilter(attribute: AttributePlan, type: TypePlan): string[] {
  const { property, column, mapping, rules, isSecret } = attribute
  if (isSecret || !isComparable(attribute)) return []
  if (mapping.builder === 'boolean') return [`boolean('${property}')`]
  if (rules.includes('.enum(')) return [`where('${property}')`]
  if (!isIndexed(type, column.name)) return []
  const isUnique = type.relation.constraints.some(
    ({ kind, columns }) => kind === 'unique' && columns.join() === column.name,
  )
  const range = isUnique
    ? undefined
    : (rangeBuilders[mapping.builder ?? ''] ?? (column.typeName === 'numeric' ? 'range' : undefined))
  return [`${range ?? 'where'}('${property}')`]
}
