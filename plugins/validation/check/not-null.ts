import { isPolymorphic, type Relation } from '#kernel/plugin'

/** Whether the foreign key of a to-one relation is a column that rejects null. */
export function hasNotNullColumn(relation: Relation): boolean {
  const column = relation.owner.shape.properties.get(relation.property ?? relation.name)
  return column?.owner === true && !column.nullable && !isPolymorphic(relation)
}

/** Whether a write of null is rejected: by `required()`, or since the column has no null. */
export function rejectsNull(relation: Relation): boolean {
  return relation.options.rules?.required !== undefined || hasNotNullColumn(relation)
}
