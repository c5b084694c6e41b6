import type { PropertyShape, Relation, ResourceType } from '#kernel/plugin'
import { type Condition, ofPivot } from '#kernel/queries'
import type { FilterOwner } from './declare/check-declaration.ts'
import { type FilterDefinition, type Operator, synonyms } from './declare/definition.ts'

/** Returns a declared relation by its name, else by the entity property it is stored as. */
export function relationNamed(type: ResourceType, name: string): Relation | undefined {
  return (
    type.relations.find((relation) => relation.name === name) ??
    type.relations.find((relation) => relation.property === name)
  )
}

/** Returns the name of the pivot field a target refers to; null if it refers to a property of the row. */
export function pivotField(target: string): string | null {
  return target.startsWith('pivot.') ? target.slice('pivot.'.length) : null
}

/** Returns the property of a target, and a function that applies a condition to the row or to its pivot row. */
export function findProperty(
  target: string,
  { type, relation }: FilterOwner,
): { readonly property: PropertyShape; readonly wrap: (condition: Condition) => Condition } {
  const field = pivotField(target)
  const column = field === null ? undefined : relation && pivotColumn(relation, field)
  if (column) return { property: column, wrap: ofPivot }
  return { property: type.shape.properties.get(target) as PropertyShape, wrap: (condition) => condition }
}

/** Returns the column of a pivot field. */
export function pivotColumn({ pivotFields, pivotShape }: Relation, name: string): PropertyShape | undefined {
  const field = pivotFields.find((pivotField) => pivotField.name === name)
  return field?.property ? pivotShape?.properties.get(field.property) : undefined
}

/** Returns the operator in its canonical spelling. */
export function findOperator({ operator }: FilterDefinition): Operator {
  return (synonyms as Readonly<Record<string, Operator>>)[operator] ?? operator
}
