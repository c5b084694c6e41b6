import { applicationError } from '../core-errors.ts'
import { readLinkageInput, readResourceInput } from '../input.ts'
import { isRelationshipWrite, type OperationDraft, type OperationKind } from '../operation.ts'
import type { Query } from '../query.ts'
import type { ApiRequest } from '../request.ts'
import type { Target, TargetKind } from '../target.ts'

const kinds: Readonly<Record<string, Partial<Record<TargetKind, OperationKind>>>> = {
  GET: {
    collection: 'FetchCollection',
    resource: 'FetchOne',
    related: 'FetchRelated',
    relationship: 'FetchRelationship',
  },
  POST: { collection: 'Create', relationship: 'AddToRelationship' },
  PATCH: { resource: 'Update', relationship: 'UpdateRelationship' },
  DELETE: { resource: 'Delete', relationship: 'RemoveFromRelationship' },
}

/** The verb and the target select exactly one operation. */
export function createOperation(request: ApiRequest, query: Query): OperationDraft {
  const { ctx, server, principal, body } = request
  const target = request.target as Target
  const kind = kinds[ctx.method === 'HEAD' ? 'GET' : ctx.method]?.[target.kind]
  if (!kind) throw applicationError()
  const origin = { server, request, principal, trusted: false }
  return { kind, target, origin, query, ...readInput(kind, target, body) }
}

function readInput(kind: OperationKind, target: Target, body: unknown): Pick<OperationDraft, 'input'> {
  if (kind === 'Create') return { input: readResourceInput(body, target, { update: false, batch: false }) }
  if (kind === 'Update') return { input: readResourceInput(body, target, { update: true, batch: false }) }
  if (!isRelationshipWrite(kind) || !target.relation) return {}
  return { input: readLinkageInput(body, target.relation, { update: true, batch: false }) }
}
