import { localIdNotSupported, relationshipNotExists, relationshipTypeInappropriate } from '#kernel/errors'
import { isWrite, type ResourceType } from '#kernel/plugin'
import type { DescribedOperation, OpenApiDraft, Schema } from '#openapi'
import { batchErrors } from './errors.ts'
import { describeOperations } from './operation-schemas.ts'

const own = [relationshipNotExists, ...batchErrors]

/** Describes the endpoint of batches: its operations, and the errors of all of them. */
export function describeBatches(openapi: OpenApiDraft, path: string, maxOperations: number): void {
  const { operations, afterPlugins, component, server } = openapi
  const batch = operations.find(({ route }) => route?.path === path)
  if (!batch) return
  const types = [...server.types.values()].filter(({ persister }) => persister.transactional)
  Object.assign(batch.object, {
    operationId: 'atomic.operations',
    summary: 'Run a batch of operations in one transaction',
    description:
      'Runs the operations in their order: all of them succeed, or none has an effect. https://jsonapi.org/ext/atomic',
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
  batch.example = () => batchExample(operations)
  batch.successes.set(200, { description: 'The results of the operations.', schema: describeResults(types, openapi) })
  batch.successes.set(204, { description: 'All operations have succeeded; none has a result.' })
  afterPlugins(() => {
    addFailures(batch, operations)
    batch.anonymous = operations.some(({ kind, type, anonymous }) => {
      return anonymous && kind && type && isWrite(kind) && types.includes(type)
    })
  })
}

/** Creates the first resource that has an example. */
function batchExample(operations: readonly DescribedOperation[]): object | undefined {
  for (const { kind, example } of operations) {
    const request = kind === 'Create' ? example?.() : undefined
    if (request) return { 'atomic:operations': [{ op: 'add', ...request }] }
  }
  return undefined
}

/** One result per operation, in their order; an operation without data has an empty result. */
function describeResults(types: readonly ResourceType[], { component, refer, nameOf }: OpenApiDraft): Schema {
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
  for (const { kind, errorResponses } of operations) {
    if (!kind || kind === 'Action' || kind.startsWith('Fetch')) continue
    for (const [status, { errors }] of errorResponses) {
      batch.addErrors(status, ...[...errors].filter((error) => error !== localIdNotSupported.definition))
    }
  }
}
