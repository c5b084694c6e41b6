import type { PlannedQuery } from '../../contract/app.ts'
import {
  type InputOptions,
  isRelationshipWrite,
  type PlannedOperation,
  type SentMeta,
} from '../../contract/operation.ts'
import { requesterOf } from '../../contract/operation-context.ts'
import type { ApiRequest, QueryContext } from '../../contract/request.ts'
import { isObject } from '../../lib/is-object.ts'
import { readLinkageInput, readResourceInput } from '../body/resource-input.ts'

/** Creates the operation of a request. For an operation of a batch, `body` is the operation object. */
export function createOperation(
  request: ApiRequest,
  { kind, target }: Pick<QueryContext, 'kind' | 'target'>,
  { query, plan }: PlannedQuery,
  body = request.body,
  acceptsLocalIds = false,
): PlannedOperation {
  const requester = requesterOf(request)
  if (!target.action && !plan.writes) return { kind, target, requester, query, plan }
  const { limits } = request.app.config
  const input = readInput(kind, target, body, { acceptsLocalIds, limits })
  const isResource = kind === 'Create' || kind === 'Update'
  return {
    kind,
    target,
    requester,
    query,
    plan,
    ...input,
    sentMeta: input.input ? readMeta(kind, body) : [],
    ...(isResource && { body }),
  }
}

/** The `meta` of the sent resource object, or of the document with the linkage. */
function readMeta(kind: PlannedOperation['kind'], document: unknown): readonly SentMeta[] {
  const body = document as { readonly data: unknown; readonly meta?: unknown }
  const isLinkage = isRelationshipWrite(kind)
  const { meta } = isLinkage ? body : (body.data as { readonly meta?: unknown })
  return isObject(meta) ? [{ values: meta, pointer: isLinkage ? '/meta' : '/data/meta' }] : []
}

/** Reads the resource or the linkage of a write. The body of an action is read when the action is authorized. */
export function readInput(
  kind: PlannedOperation['kind'],
  target: PlannedOperation['target'],
  body: unknown,
  options: Omit<InputOptions, 'update'>,
): Pick<PlannedOperation, 'input' | 'body'> {
  if (target.action) return { body }
  if (kind === 'Create') return { input: readResourceInput(body, target, { ...options, update: false }) }
  if (kind === 'Update') return { input: readResourceInput(body, target, { ...options, update: true }) }
  if (!isRelationshipWrite(kind) || !target.relation) return {}
  return { input: readLinkageInput(body, target.relation, { ...options, update: true }) }
}
