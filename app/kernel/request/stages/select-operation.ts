import type { ApiRequest, QueryContext } from '../../contract/request.ts'
import type { Plan } from '../../contract/stages.ts'
import { visibilityOfRequest } from '../../contract/visibility.ts'
import { applicationError, noResourceRegistered } from '../../errors/core-errors.ts'
import { toOperationKind } from '../../plan/operation-kind.ts'

/** Selects the operation by method and target. Throws a 500 if there is none, which is a fault of a plugin's route. */
export function selectOperation(request: ApiRequest, plan: Plan | undefined): QueryContext {
  const { app, server, target, ctx } = request
  const kind = plan?.kind ?? (target && toOperationKind(ctx.method, target))
  if (!kind || !target) throw applicationError()
  if (!server.types.has(target.type.name)) throw noResourceRegistered({ type: target.type.name })
  const { strictQueryParameters: strict, limits } = app.config
  const visibility = app.registry.hidesFields ? visibilityOfRequest(request) : null
  return { app, server, kind, target, request, profiles: request.media.profiles, visibility, strict, limits }
}
