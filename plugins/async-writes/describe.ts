import type { ResourceType } from '#kernel/plugin'
import type { DescribedSuccess, OpenApiDraft, Schema } from '#openapi'
import { listResponses } from '#plugins/responses/index.ts'
import { acceptedBy } from './checks.ts'

/** Adds 202 responses of writes and 303 responses of jobs to the OpenAPI document. */
export function describeAsyncWrites({ operations, server, refer, nameOf }: OpenApiDraft): void {
  for (const { kind, type, successes } of operations) {
    if (!type) continue
    const accepted = kind === 'Create' || kind === 'Update' ? acceptedBy(type, keys[kind]) : undefined
    const job = accepted && server.types.get(accepted.jobType)
    if (job)
      successes.set(
        202,
        acceptedResponse(
          { anyOf: [refer(`${nameOf(job)}Document`), refer('MetaDocument')] },
          refer('RetryAfter', 'headers'),
        ),
      )
    if (kind === 'FetchOne' && (type.declaration.completionLocation || declaresSeeOther(type))) {
      successes.set(303, {
        description: 'The job is finished; `Location` is the URL of its result.',
        headers: { Location: result },
      })
    }
  }
}

function declaresSeeOther(type: ResourceType): boolean {
  return listResponses(type, 'fetchOne').some(({ response }) => response === 'seeOther')
}

const keys = { Create: 'create', Update: 'update' } as const
const result = { description: 'The URL of the result.', schema: { type: 'string', format: 'uri' } }
const jobUrl = { description: 'The URL of the job.', schema: { type: 'string', format: 'uri' } }

function acceptedResponse(schema: Schema, retryAfter: Schema): DescribedSuccess {
  const headers = { 'Content-Location': jobUrl, 'Retry-After': retryAfter }
  return {
    description: 'The write is accepted; `Content-Location` is the URL of the job that runs it.',
    schema,
    headers,
  }
}
