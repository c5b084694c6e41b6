import { type DescribedFailure, type DescribedSuccess, mediaType, type Schema } from '#kernel'
import { describe } from './descriptions.ts'
import { tagsFor } from './head.ts'
import { idSchema } from './linkage.ts'
import { errorName } from './names.ts'
import type { PlacedOperation } from './operations.ts'
import type { OpenApiOptions } from './options.ts'
import { reasonOf } from './reasons.ts'
import type { Sketch } from './sketch.ts'

/** All operations under their paths. */
export function pathsOf(operations: readonly PlacedOperation[], sketch: Sketch, options: OpenApiOptions) {
  const failures = shareFailures(operations, sketch)
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
              description: `The id of one of the ${type.name}.`,
              schema: idSchema(type),
            },
          ],
        }
      : {}
    paths[path][method.toLowerCase()] = operationObject(operation, failures, sketch, options)
  }
  return paths
}

function operationObject(
  operation: PlacedOperation,
  failures: ReadonlyMap<DescribedFailure, object>,
  { refer }: Sketch,
  options: OpenApiOptions,
): object {
  const { object, parameters, body, successes, route } = operation
  const { operationId, summary, description, ...rest } = object
  const media = mediaTypeOf(route?.jsonapi?.extension)
  const said = describe(operation, options)
  const answers = [
    ...[...successes].map(([status, success]) => [status, successObject(success, media, refer)] as const),
    ...[...operation.failures].map(([status, failure]) => [status, failures.get(failure)] as const),
  ]
  return {
    operationId,
    summary,
    ...(said && { description: said }),
    tags: tagsFor(operation),
    ...rest,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: { [media]: { schema: body.schema } } } }),
    responses: Object.fromEntries(answers.toSorted(([a], [b]) => a - b)),
  }
}

export function mediaTypeOf(extension: string | undefined): string {
  return extension ? `${mediaType}; ext="${extension}"` : mediaType
}

function successObject(
  { description, schema, headers }: DescribedSuccess,
  media: string,
  refer: Sketch['refer'],
): object {
  return {
    description,
    headers: { Vary: refer('Vary', 'headers'), ...headers },
    ...(schema && { content: { [media]: { schema } } }),
  }
}

/** Answers that many operations have in common become components, named by their status and their kind of operation. */
function shareFailures(operations: readonly PlacedOperation[], sketch: Sketch): Map<DescribedFailure, object> {
  const statuses = statusesOf(operations)
  const all = operations.flatMap((operation) =>
    [...operation.failures].map(([status, failure]) => {
      const object = failureObject(status, failure, operation, statuses, sketch)
      return { failure, object, status, kind: operation.kind ?? 'Endpoint', text: JSON.stringify(object) }
    }),
  )
  const names = new Map<string, string>()
  const claim = (group: readonly (typeof all)[number][], name: string, share: number) => {
    const open = group.filter(({ text }) => !names.has(text))
    const [text, count] = mostFrequent(open.map(({ text }) => text))
    if (text !== undefined && count > 1 && count >= open.length * share) names.set(text, name)
  }
  for (const [status, group] of Map.groupBy(all, ({ status }) => status)) {
    claim(group, reasonOf(status), 0.5)
    for (const [kind, ofKind] of Map.groupBy(group, ({ kind }) => kind)) claim(ofKind, `${kind}${reasonOf(status)}`, 0)
  }
  return new Map(
    all.map(({ failure, object, text }) => {
      const name = names.get(text)
      return [failure, name === undefined ? object : sketch.component(name, () => object, 'responses')]
    }),
  )
}

function mostFrequent(texts: readonly string[]): [text: string | undefined, count: number] {
  const groups = [...Map.groupBy(texts, (text) => text)].map(([text, same]) => [text, same.length] as const)
  const best = groups.reduce<readonly [string, number] | undefined>((a, b) => (a && a[1] >= b[1] ? a : b), undefined)
  return [best?.[0], best?.[1] ?? 0]
}

/** The statuses each error is answered with; few have more than one. */
function statusesOf(operations: readonly PlacedOperation[]): Map<string, Set<number>> {
  const statuses = new Map<string, Set<number>>()
  for (const { failures } of operations) {
    for (const [status, { errors }] of failures) {
      for (const { code } of errors) statuses.set(code, (statuses.get(code) ?? new Set()).add(status))
    }
  }
  return statuses
}

function failureObject(
  status: number,
  { errors, headers }: DescribedFailure,
  { route }: PlacedOperation,
  statuses: ReadonlyMap<string, ReadonlySet<number>>,
  sketch: Sketch,
): object {
  // A client that did not ask for the extension is told so without it.
  const media = mediaTypeOf(status === 406 || status === 415 ? undefined : route?.jsonapi?.extension)
  const codes = [...errors].map(({ code }) => code)
  const known = [...errors].map(({ code, title }) => errorSchema(code, title, statuses.get(code) ?? new Set(), sketch))
  const schema: Schema =
    known.length === 0
      ? sketch.refer('ErrorDocument')
      : {
          type: 'object',
          properties: {
            errors: { type: 'array', minItems: 1, items: { anyOf: [...known, sketch.refer('Error')] } },
            jsonapi: sketch.refer('JsonApi'),
          },
          required: ['errors', 'jsonapi'],
        }
  return {
    description:
      codes.length > 0 ? `${titles(status)}: ${codes.map((code) => `\`${code}\``).join(', ')}.` : `${titles(status)}.`,
    headers: { Vary: sketch.refer('Vary', 'headers'), ...headers },
    content: { [media]: { schema } },
  }
}

function errorSchema(code: string, title: string, statuses: ReadonlySet<number>, { component, refer }: Sketch): Schema {
  const status = [...statuses].sort().map(String)
  return component(errorName(code), () => ({
    type: 'object',
    description: `${title}.`,
    properties: {
      status: { type: 'string', ...(status.length === 1 ? { const: status[0] } : { enum: status }) },
      code: { type: 'string', const: code },
      title: { type: 'string' },
      detail: { type: 'string' },
      source: refer('ErrorSource'),
      links: refer('Links'),
      meta: refer('Meta'),
    },
    required: ['status', 'code', 'title'],
  }))
}

function titles(status: number): string {
  return reasonOf(status).replace(/([a-z])([A-Z])/g, '$1 $2')
}
