import { resolveLocation } from '#kernel/operations'
import type { ApiResponse, Operation } from '#kernel/plugin'
import { loadOne, loadRelations } from '#kernel/queries'
import type { AcceptedForProcessing } from './accepted-for-processing.ts'

/** 202 with the URL of the job. The job is rendered with linkage, without included resources. */
export async function respondAccepted({ parts }: AcceptedForProcessing, operation: Operation): Promise<ApiResponse> {
  const { context, query } = operation
  const { url, job, retryAfter, meta } = parts
  const headers = {
    'Content-Location': resolveLocation(url, context),
    ...(retryAfter !== undefined && { 'Retry-After': retryAfter }),
  }
  if (!job) return { kind: 'meta', status: 202, headers, meta: meta ?? {} }
  const type = context.app.registry.types.get(job.type)
  const key = type?.persister.keyOf(type, job.object)
  const record = type && (await loadOne(type, key, query, context, { justWritten: true }))
  if (!record) throw new Error(`The job of type '${job.type}' is not saved, so that clients could not poll it.`)
  const linkageOnly = { ...query, include: [], counts: new Set<never>(), related: new Map(), plan: null }
  await loadRelations([{ type, record }], linkageOnly, context)
  return { kind: 'data', status: 202, headers, operation, data: { type, record }, ...(meta && { meta }) }
}
