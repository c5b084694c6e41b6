import type { Relation } from './field.ts'
import type { ResourceType } from './resource-type.ts'

/** The relations of a target type that are the inverse side of a relation. A write of one side changes both. */
export function inverseRelations({ owner, property }: Relation, type: ResourceType): readonly Relation[] {
  const inverse = owner.shape.properties.get(property as string)?.inverse
  return type.relations.filter((other) => {
    const shape = type.shape.properties.get(other.property as string)
    if (!shape?.targets?.includes(owner.entity)) return false
    return shape.name === inverse || shape.inverse === property
  })
}
