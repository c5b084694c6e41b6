import type { DescribedOperation, Header, OpenApiDraft } from '#openapi'
import { headersOf, readShapesByKind, type TypePlan } from './headers.ts'

const meanings: Readonly<Record<string, string>> = {
  'Cache-Control': 'Which caches may store the response, and how long.',
  Deprecation: 'The type is deprecated.',
  Sunset: 'When the type will be removed.',
  Link: 'Information about the removal.',
}

/** Describes caching headers of reads, and deprecation headers of all responses. */
export function describeHeaders({ operations, afterPlugins }: OpenApiDraft): void {
  afterPlugins(() => {
    for (const operation of operations) {
      const plan = operation.type && headersOf(operation.type)
      if (plan) describeOperation(operation, plan)
    }
  })
}

function describeOperation(
  { kind, object, successes, errorResponses }: DescribedOperation,
  { always, reads }: TypePlan,
): void {
  if ('Deprecation' in always) object.deprecated = true
  const shape = kind && readShapesByKind[kind]
  const read = shape && reads.get(shape)
  for (const [status, success] of successes) {
    const headers = { ...toHeaders(always), ...(status === 200 && toHeaders(read?.headers ?? {})) }
    if (Object.keys(headers).length > 0) success.headers = { ...success.headers, ...headers }
  }
  for (const { headers } of errorResponses.values()) Object.assign(headers, toHeaders(always))
}

function toHeaders(values: Readonly<Record<string, string>>): Record<string, Header> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      { description: meanings[name] ?? name, schema: { type: 'string', examples: [value] } },
    ]),
  )
}
