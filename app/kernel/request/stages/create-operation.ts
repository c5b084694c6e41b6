import { originOf } from '../../model/context.ts'
import { type InputOptions, isRelationshipWrite, type OperationDraft } from '../../model/operation.ts'
import type { Query, QueryContext } from '../../model/query.ts'
import type { ApiRequest } from '../../model/request.ts'
import { readLinkageInput, readResourceInput } from '../body/resource-input.ts'

/** Creates the operation of a request. For an operation of a batch, `body` is the operation object. */
export function createOperation(
  request: ApiRequest,
  { kind, target }: Pick<QueryContext, 'kind' | 'target'>,
  query: Query,
  body = request.body,
  batch = false,
): OperationDraft {
  const { limits } = request.app.config
  return { kind, target, origin: originOf(request), query, ...readInput(kind, target, body, { batch, limits }) }
}

/** Reads the resource or the linkage of a write. The body of an action is read when the action is authorized. */
export function readInput(
  kind: OperationDraft['kind'],
  target: OperationDraft['target'],
  body: unknown,
  options: Omit<InputOptions, 'update'>,
): Pick<OperationDraft, 'input' | 'body'> {
  if (target.action) return { body }
  if (kind === 'Create') return { input: readResourceInput(body, target, { ...options, update: false }) }
  if (kind === 'Update') return { input: readResourceInput(body, target, { ...options, update: true }) }
  if (!isRelationshipWrite(kind) || !target.relation) return {}
  return { input: readLinkageInput(body, target.relation, { ...options, update: true }) }
}
