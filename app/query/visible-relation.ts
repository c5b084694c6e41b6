import type { Relation, ResourceType, Visibility } from '#kernel/plugin'

/**
 * Returns the relation of a type by its name, if the requester sees it. A trusted requester has no visibility (null); only
 * `hidden` relations are hidden from it.
 */
export function findVisibleRelation(
  type: ResourceType,
  name: string,
  visibility: Visibility | null,
): Relation | undefined {
  const field = type.fields.get(name)
  if (field?.role !== 'relation' || field.hidden === true || visibility?.hides(field)) return undefined
  return field
}
