import { defineError } from '#kernel/errors'

export const liveUnavailable = defineError(
  'LIVE_UNAVAILABLE',
  406,
  'No stream of this URL',
  'Streams (text/event-stream) exist for collections and resources of these types: {types}.',
  {
    when: 'A `GET` with `Accept: text/event-stream` of another URL than a collection or a resource whose type has `changes: true`.',
    example: { types: ['albums'] },
    source: { header: 'Accept' },
  },
)
export const liveCollectionTooLarge = defineError(
  'LIVE_COLLECTION_TOO_LARGE',
  400,
  'Collection is too large for a stream',
  'A stream contains the whole collection, at most {limit} resources. Add a filter that selects fewer.',
  { when: 'The collection of a stream has more than `LIVE_ROWS` resources.', example: { limit: 1_000 } },
)
export const liveStreamsExceeded = defineError(
  'LIVE_STREAMS_EXCEEDED',
  429,
  'Too many streams',
  'At most {limit} streams can be open at the same time. Close another one first.',
  {
    when: 'A principal, or an anonymous address, has `LIVE_STREAMS_PER_PRINCIPAL` open streams.',
    example: { limit: 20 },
  },
)
export const liveProcessFull = defineError(
  'LIVE_PROCESS_FULL',
  503,
  'Too many streams in this process',
  'The process has {limit} open streams. Try again later: another process may have fewer.',
  { when: 'A process has `LIVE_STREAMS` open streams.', example: { limit: 1_000 } },
)

export const liveErrors = [liveUnavailable, liveCollectionTooLarge, liveStreamsExceeded, liveProcessFull]
