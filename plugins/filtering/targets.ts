import { type Condition, ofPivot, type PropertyShape, type Relation, type ResourceType } from '#kernel/plugin'
import type { Place } from './declare/check-declaration.ts'
import { type FilterDefinition, type Operator, synonyms } from './declare/definition.ts'

/** A declared relation by its name, else by the entity's property behind it. */
export function relationNamed(type: ResourceType, name: string): Relation | undefined {
  return (
    type.relations.find((relation) => relation.name === name) ??
    type.relations.find((relation) => relation.property === name)
  )
}

/** The pivot field a filter looks at, null when it looks at the member itself. */
export function pivotField(target: string): string | null {
  return target.startsWith('pivot.') ? target.slice('pivot.'.length) : null
}

/** The property a filter looks at, and how a condition on it is said of the row. */
export function propertyOf(
  target: string,
  { type, relation }: Place,
): { readonly property: PropertyShape; readonly wrap: (condition: Condition) => Condition } {
  const field = pivotField(target)
  const column = field === null ? undefined : relation && pivotColumn(relation, field)
  if (column) return { property: column, wrap: ofPivot }
  return { property: type.shape.properties.get(target) as PropertyShape, wrap: (condition) => condition }
}

/** The column behind a pivot field. */
export function pivotColumn({ pivotFields, pivotShape }: Relation, name: string): PropertyShape | undefined {
  const field = pivotFields.find((one) => one.name === name)
  return field?.property ? pivotShape?.properties.get(field.property) : undefined
}

/** The operator in its first spelling. */
export function operatorOf({ operator }: FilterDefinition): Operator {
  return (synonyms as Readonly<Record<string, Operator>>)[operator] ?? operator
}
