import {
  localIdNotFound,
  localIdNotSupported,
  type ResourceType,
  relationshipNotExists,
  relationshipTypeInappropriate,
} from '#kernel/plugin'
import type { DescribedOperation, OpenApiDraft, Schema } from '#openapi'
import { batchErrors } from './errors.ts'
import { describeOperations } from './operation-schemas.ts'

const own = [relationshipNotExists, localIdNotFound, ...batchErrors]

/** Describes the endpoint of batches: its operations, and the errors of all of them. */
export function describeBatches(openapi: OpenApiDraft, path: string, maxOperations: number): void {
  const { operations, afterPlugins: afterwards, component, server } = openapi
  const batch = operations.find(({ route }) => route?.path === path)
  if (!batch) return
  const types = [...server.types.values()].filter(({ persister }) => persister.transactional)
  Object.assign(batch.object, {
    operationId: 'atomic.operations',
    summary: 'Run a batch of operations in one transaction',
    description: 'All of them, or none. https://jsonapi.org/ext/atomic',
    tags: ['Atomic Operations'],
  })
  batch.body = component('AtomicOperationsRequest', () => ({
    type: 'object',
    properties: {
      'atomic:operations': {
        type: 'array',
        items: describeOperations(types, openapi),
        minItems: 1,
        maxItems: maxOperations,
      },
    },
    required: ['atomic:operations'],
  }))
  batch.successes.set(200, { description: 'All are done.', schema: resultsOf(types, openapi) })
  batch.successes.set(204, { description: 'All are done, and none has something to show.' })
  afterwards(() => addFailures(batch, operations))
}

/** One result per operation, in their order; an operation without data has an empty result. */
function resultsOf(types: readonly ResourceType[], { component, refer, nameOf }: OpenApiDraft): Schema {
  const shown = types.filter(({ operations }) => operations.has('Create') || operations.has('Update'))
  const resources = shown.map((type) => refer(`${nameOf(type)}Resource`))
  const result = component('AtomicResult', () => ({
    type: 'object',
    properties: {
      ...(resources.length > 0 && { data: { oneOf: resources } }),
      meta: refer('Meta'),
    },
  }))
  return component('AtomicResultsResponse', () => ({
    type: 'object',
    properties: {
      'atomic:results': { type: 'array', items: result, minItems: 1 },
      links: { ...refer('Links'), required: ['self'] },
      jsonapi: refer('JsonApi'),
    },
    required: ['atomic:results', 'links', 'jsonapi'],
  }))
}

function addFailures(batch: DescribedOperation, operations: readonly DescribedOperation[]): void {
  for (const { definition } of own) batch.addErrors(definition.status, definition)
  batch.addErrors(403, relationshipTypeInappropriate.definition)
  for (const { kind, errorResponses: failures } of operations) {
    if (!kind || kind === 'Action' || kind.startsWith('Fetch')) continue
    for (const [status, { errors }] of failures) {
      batch.addErrors(status, ...[...errors].filter((error) => error !== localIdNotSupported.definition))
    }
  }
}
