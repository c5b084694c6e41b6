import type { DescribedErrorResponse, DescribedSuccess } from '#openapi'
import type { DraftState } from '../draft-state.ts'
import { toNouns } from '../nouns.ts'
import { idSchema } from '../schemas/linkage.ts'
import { examplePrincipalText, writeDescription } from './descriptions.ts'
import { describeErrorResponses, errorResponses } from './error-responses.ts'
import { tagsFor } from './head.ts'
import { buildMediaType } from './media-type.ts'
import type { PathOperation } from './operations.ts'

/** All operations under their paths. */
export function describePaths(operations: readonly PathOperation[], state: DraftState) {
  const failures = errorResponses(operations, state)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const { path, method, type } = operation
    const hasId = type && path.includes('{id}')
    paths[path] ??= hasId
      ? {
          parameters: [
            {
              name: 'id',
              in: 'path',
              required: true,
              description: `The id of the ${toNouns(type).singular}.`,
              schema: idSchema(type),
              ...(type.declaration.exampleId !== undefined && { example: type.declaration.exampleId }),
            },
          ],
        }
      : {}
    paths[path][method.toLowerCase()] = operationObject(operation, failures, state)
  }
  return paths
}

/** All operations by path and method. Each is written when it is read, with error responses of its own. */
export function describeOperationsLazily(
  operations: readonly PathOperation[],
  state: DraftState,
): Record<string, Record<string, unknown>> {
  const failures = describeErrorResponses(operations, state)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const { path, method } = operation
    paths[path] ??= {}
    let written: object | undefined
    const get = () => {
      written ??= operationObject(operation, failures(operation), state)
      return written
    }
    Object.defineProperty(paths[path], method.toLowerCase(), { get, enumerable: true })
  }
  return paths
}

function operationObject(
  operation: PathOperation,
  failures: ReadonlyMap<DescribedErrorResponse, object>,
  { refer }: DraftState,
): object {
  const { object, parameters, successes, route } = operation
  const { operationId, summary, description, ...rest } = object
  const media = buildMediaType(route?.jsonapi?.extension)
  const example = operation.example?.()
  const text = [writeDescription(operation), example === undefined ? '' : examplePrincipalText(operation)]
    .filter(Boolean)
    .join(' ')
  const responses = [
    ...[...successes].map(([status, success]) => [status, successObject(success, media, refer)] as const),
    ...[...operation.errorResponses].map(([status, failure]) => [status, failures.get(failure)] as const),
  ]
  return {
    operationId,
    summary,
    ...(text && { description: text }),
    tags: tagsFor(operation),
    ...rest,
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(operation, media, example),
    responses: Object.fromEntries(responses.toSorted(([a], [b]) => a - b)),
  }
}

function requestBody({ body, rawBody }: PathOperation, media: string, example: unknown): object {
  if (body) {
    const content = { [media]: { schema: body, ...(example !== undefined && { example }) } }
    return { requestBody: { required: true, content } }
  }
  if (rawBody.length === 0) return {}
  return { requestBody: { required: true, content: Object.fromEntries(rawBody.map((raw) => [raw, {}])) } }
}

function successObject(
  { description, schema, otherMedia, headers }: DescribedSuccess,
  media: string,
  refer: DraftState['refer'],
): object {
  const bodies = Object.entries({ ...(schema && { [media]: schema }), ...otherMedia })
  return {
    description,
    headers: { Vary: refer('Vary', 'headers'), ...headers },
    ...(bodies.length > 0 && { content: Object.fromEntries(bodies.map(([type, body]) => [type, { schema: body }])) }),
  }
}
