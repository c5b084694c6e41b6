import { renderMember } from '#kernel/operations'
import {
  type ApiRequest,
  type ApiResponse,
  isData,
  listMembers,
  type PlannedOperation,
  type Plugin,
} from '#kernel/plugin'
import { routeName } from '#routes'
import { describeBatches } from './describe.ts'
import { atomicOperationsUnavailable, batchErrors } from './errors.ts'
import { readBatch } from './read.ts'
import { runBatch } from './run-batch.ts'

export const atomicExtension = 'https://jsonapi.org/ext/atomic'

export interface AtomicOptions {
  readonly path?: string
  readonly maxOperations?: number
}

/** A batch of operations in one transaction: all of them, or none. https://jsonapi.org/ext/atomic */
export function atomic({ path = '/operations', maxOperations = 100 }: AtomicOptions = {}): Plugin {
  return {
    name: 'atomic',
    errors: batchErrors.map(({ definition }) => definition),
    extensions: [atomicExtension],
    routes: (server) => [
      {
        name: routeName(server, 'atomic_operations'),
        methods: ['POST'],
        path,
        jsonapi: { extension: atomicExtension },
        handle: (_ctx, request) => handleBatch(request, maxOperations),
      },
    ],

    describe: (openapi) => describeBatches(openapi, path, maxOperations),
  }
}

async function handleBatch(request: ApiRequest, maxOperations: number): Promise<ApiResponse> {
  const { app } = request
  if (!app.store.transactional) throw atomicOperationsUnavailable()
  const operations = readBatch(request, maxOperations)
  return runBatch(request, operations, (responses) => toBatchResponse(operations, responses, request))
}

function toBatchResponse(
  operations: readonly PlannedOperation[],
  responses: readonly ApiResponse[],
  request: ApiRequest,
): ApiResponse {
  const results = responses.map((response, index) => toResult(operations[index] as PlannedOperation, response, request))
  if (results.every((result) => Object.keys(result).length === 0)) return { kind: 'none', status: 204 }
  return { kind: 'document', status: 200, document: { 'atomic:results': results } }
}

/** The result of an operation; empty for removals and relationship writes. */
function toResult({ kind }: PlannedOperation, response: ApiResponse, request: ApiRequest): Record<string, unknown> {
  const { status, meta = {} } = response
  if ((kind !== 'Create' && kind !== 'Update') || status === 204) return {}
  const [member] = isData(response) ? listMembers(response) : []
  return {
    ...(member && isData(response) && { data: renderMember(member, request, response) }),
    ...(Object.keys(meta).length > 0 && { meta }),
  }
}
