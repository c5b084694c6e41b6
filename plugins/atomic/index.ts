import {
  type ApiError,
  ApiErrors,
  type ApiRequest,
  type ApiResponse,
  apiErrorsOf,
  dispatchAll,
  type Plugin,
  renderMember,
  routeName,
} from '#kernel'
import {
  atomicOperationNotExposed,
  atomicOperationsInvalid,
  atomicTargetTypeUnknown,
  localIdConflict,
} from './errors.ts'
import { readOperations } from './operations.ts'

export const atomicExtension = 'https://jsonapi.org/ext/atomic'

export interface AtomicOptions {
  readonly path?: string
  readonly maxOperations?: number
}

/** A batch of `add` operations in one transaction: all of them, or none. https://jsonapi.org/ext/atomic */
export function atomic({ path = '/operations', maxOperations = 100 }: AtomicOptions = {}): Plugin {
  return {
    name: 'atomic',
    errors: [atomicOperationsInvalid, atomicTargetTypeUnknown, atomicOperationNotExposed, localIdConflict].map(
      (error) => error.definition,
    ),
    extensions: [atomicExtension],
    routes: (server) => [
      {
        name: routeName(server, 'atomic_operations'),
        methods: ['POST'],
        path,
        jsonapi: { extension: atomicExtension },
        handle: (_ctx, request) => runBatch(request as ApiRequest, maxOperations),
      },
    ],
  }
}

async function runBatch(request: ApiRequest, maxOperations: number): Promise<ApiResponse> {
  const drafts = readOperations(request, maxOperations)
  const responses = await dispatchAll(request.app, drafts, inOperation)
  const results = responses.map((response) => toResult(response, request))
  if (results.every((result) => Object.keys(result).length === 0)) return { kind: 'none', status: 204 }
  return { kind: 'document', status: 200, document: { 'atomic:results': results } }
}

function toResult(response: ApiResponse, request: ApiRequest): Record<string, unknown> {
  if (response.kind !== 'data' || response.data === null || !('record' in response.data)) return {}
  return { data: renderMember(response.data, request, response) }
}

/** The same errors, pointing into the batch. */
export function inOperation(error: unknown, index: number): unknown {
  const errors = apiErrorsOf(error)
  return errors.length > 0 ? new ApiErrors(errors.map((one) => moveInto(one, index))) : error
}

function moveInto(error: ApiError, index: number): ApiError {
  const { source } = error.options
  const inside = source && 'pointer' in source ? source.pointer : ''
  return error.at({ pointer: `/atomic:operations/${index}${inside}` })
}
