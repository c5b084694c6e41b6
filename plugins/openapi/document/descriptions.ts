import type { OperationKind } from '#kernel/plugin'
import type { DescribedOperation } from '#openapi'

const summaries: Readonly<Record<OperationKind, (type: string, relation: string) => string>> = {
  FetchCollection: (type) => `List ${type}`,
  FetchOne: (type) => `Fetch one of the ${type}`,
  FetchRelated: (type, relation) => `Fetch ${relation} of one of the ${type}`,
  FetchRelationship: (type, relation) => `Fetch the relationship ${relation} of one of the ${type}`,
  Create: (type) => `Create one of the ${type}`,
  Update: (type) => `Update one of the ${type}`,
  Delete: (type) => `Delete one of the ${type}`,
  UpdateRelationship: (type, relation) => `Replace ${relation} of one of the ${type}`,
  AddToRelationship: (type, relation) => `Add to ${relation} of one of the ${type}`,
  RemoveFromRelationship: (type, relation) => `Remove from ${relation} of one of the ${type}`,
}

const defaultDescriptions: Readonly<Record<OperationKind, string>> = {
  FetchCollection: 'The resources of the type that the requester may see.',
  FetchOne: 'The resource with this id.',
  FetchRelated: 'The resources that the relationship leads to.',
  FetchRelationship: 'The members of the relationship, by type and id.',
  Create: 'Makes a resource.',
  Update: 'Changes what is sent of a resource; the rest stays as it is.',
  Delete: 'Removes the resource.',
  UpdateRelationship: 'Puts the members that are sent in the place of those there are.',
  AddToRelationship: 'Adds members; those there are stay.',
  RemoveFromRelationship: 'Takes members away; one that is not there does no harm.',
}

export function summaryOf(kind: OperationKind, type: string, relation: string | undefined): string {
  return summaries[kind](type, relation ?? '')
}

/** The description of an operation: from the function of the type, its declaration, a plugin, or the kind. */
export function descriptionOf({ kind, type, relation, object }: DescribedOperation): string {
  if (!kind) return object.description
  const { describeOperation, descriptions } = type?.declaration ?? {}
  return (
    describeOperation?.(kind, relation?.name) ??
    descriptions?.[kind] ??
    (object.description || defaultDescriptions[kind])
  )
}
