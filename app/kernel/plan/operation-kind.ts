import type { OperationKind } from '../contract/operation.ts'
import type { Target, TargetKind } from '../contract/target.ts'

const kinds: Readonly<Record<string, Partial<Record<TargetKind, OperationKind>>>> = {
  GET: {
    collection: 'FetchCollection',
    resource: 'FetchOne',
    related: 'FetchRelated',
    relationship: 'FetchRelationship',
    action: 'FetchAction',
  },
  POST: { collection: 'Create', relationship: 'AddToRelationship', action: 'Action' },
  PATCH: { resource: 'Update', relationship: 'UpdateRelationship' },
  DELETE: { resource: 'Delete', relationship: 'RemoveFromRelationship', action: 'Action' },
}

/** The operation that a method and a target select. Undefined if there is none. */
export function toOperationKind(method: string, { kind }: Target): OperationKind | undefined {
  return kinds[method === 'HEAD' ? 'GET' : method]?.[kind]
}
