import { applicationError, noResourceRegistered } from '../../errors/core-errors.ts'
import { originOf } from '../../model/context.ts'
import type { OperationKind } from '../../model/operation.ts'
import type { ApiRequest, QueryContext } from '../../model/request.ts'
import type { Target, TargetKind } from '../../model/target.ts'
import { visibilityFor } from '../../model/visibility.ts'

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

/** Selects the operation by method and target. Throws a 500 if there is none, which is a fault of a plugin's route. */
export function selectOperation(request: ApiRequest): QueryContext {
  const { app, server, target, ctx } = request
  const kind = target && kindOf(ctx.method, target)
  if (!kind) throw applicationError()
  if (!server.types.has(target.type.name)) throw noResourceRegistered({ type: target.type.name })
  const { strictQueryParameters: strict, limits } = app.config
  const visibility = visibilityFor(app, originOf(request))
  return { app, server, kind, target, request, profiles: request.media.profiles, visibility, strict, limits }
}

export function kindOf(method: string, { kind }: Target): OperationKind | undefined {
  return kinds[method === 'HEAD' ? 'GET' : method]?.[kind]
}
