import { type ApiRequest, type ApiResponse, dispatchAll, type Plugin, renderMember, routeName } from '#kernel'
import {
  atomicOperationNotExposed,
  atomicOperationsInvalid,
  atomicTargetTypeUnknown,
  localIdConflict,
} from './errors.ts'
import { readOperations } from './operations.ts'
import { inOperation } from './pointers.ts'

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
  if (response.status === 204 || response.kind !== 'data' || response.data === null || !('record' in response.data))
    return {}
  return { data: renderMember(response.data, request, response) }
}
