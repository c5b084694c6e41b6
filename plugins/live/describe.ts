import type { OpenApiDraft } from '#openapi'
import { liveCollectionTooLarge, liveStreamsExceeded } from './errors.ts'

/** Mentions the streams in the operations that offer them: OpenAPI 3.1 has no schema of server-sent events. */
export function describeStreams({ operations }: OpenApiDraft): void {
  for (const operation of operations) {
    const { kind, type, relation, object, parameters } = operation
    if (!type?.declaration.changes || relation || (kind !== 'FetchCollection' && kind !== 'FetchOne')) continue
    object.description +=
      ' With `Accept: text/event-stream` the response is a stream of server-sent events: `snapshot`, `added`, `changed`, `removed`.'
    const description =
      'The id of the last event that was received: the stream begins without a snapshot if nothing has changed since.'
    parameters.push({ name: 'Last-Event-ID', in: 'header', description, schema: { type: 'string' } })
    operation.addErrors(429, liveStreamsExceeded.definition)
    operation.addErrors(400, liveCollectionTooLarge.definition)
  }
}
