import type { OpenApiDraft } from '#openapi'
import { liveCollectionTooLarge, liveProcessFull, liveStreamsExceeded } from './errors.ts'

declare module '#kernel' {
  interface ApiFacts {
    /** Types with `changes: true` have streams. */
    readonly streams: true
  }
}

/** Describes the streams of the operations that offer them: as a text, because OpenAPI 3.1 has no schema of server-sent events. */
export function describeStreams({ operations, component }: OpenApiDraft): void {
  for (const operation of operations) {
    const { kind, type, relation, object, parameters } = operation
    if (!type?.declaration.changes || relation || (kind !== 'FetchCollection' && kind !== 'FetchOne')) continue
    object.description += ' With `Accept: text/event-stream` the response is a stream of server-sent events.'
    const success = operation.successes.get(200)
    if (success)
      success.otherMedia = { ...success.otherMedia, 'text/event-stream': component('EventStream', () => events) }
    const description =
      'The id of the last event that was received: the stream begins without a snapshot if nothing has changed since.'
    parameters.push({ name: 'Last-Event-ID', in: 'header', description, schema: { type: 'string' } })
    operation.addErrors(429, liveStreamsExceeded.definition)
    operation.addErrors(503, liveProcessFull.definition)
    operation.addErrors(400, liveCollectionTooLarge.definition)
  }
}

const events = {
  type: 'string',
  description:
    'Server-sent events whose data are JSON: `snapshot` (the whole collection), `added` and `changed` (resources), `removed` (identifiers, in `included` those of included resources that are no longer referred to) and `error` (the errors with which the stream ends). `data` is a list, also for one resource.',
}
