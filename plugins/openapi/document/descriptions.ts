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
  Action: (type) => `Run an action of ${type}`,
  FetchAction: (type) => `Run an action of ${type}`,
}

/** Used if neither the type nor a plugin describes the operation. */
const defaultDescriptions: Readonly<Record<OperationKind, string>> = {
  FetchCollection: 'Returns the resources of the type that the requester may see.',
  FetchOne: 'Returns the resource with this id.',
  FetchRelated: 'Returns the related resources.',
  FetchRelationship: 'Returns the type and id of each member of the relationship.',
  Create: 'Creates a resource.',
  Update: 'Changes the attributes and relationships that are sent; all others keep their values.',
  Delete: 'Deletes the resource.',
  UpdateRelationship: 'Replaces all members of the relationship.',
  AddToRelationship: 'Adds members to the relationship; existing members are kept.',
  RemoveFromRelationship: 'Removes members from the relationship; ignores resources that are not members.',
  Action: 'Runs the action in one transaction.',
  FetchAction: 'Runs the action, which changes nothing.',
}

export function summaryOf(kind: OperationKind, type: string, relation: string | undefined): string {
  return summaries[kind](type, relation ?? '')
}

/** Returns the description by the first that has one: `describeOperation`, `descriptions`, a plugin, the default. */
export function descriptionOf({ kind, type, relation, object }: DescribedOperation): string {
  if (!kind) return object.description
  const { describeOperation, descriptions } = type?.declaration ?? {}
  return (
    describeOperation?.(kind, relation?.name) ??
    descriptions?.[kind] ??
    (object.description || defaultDescriptions[kind])
  )
}
