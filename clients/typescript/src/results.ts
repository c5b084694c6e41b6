import type { Ref, Row, Tagged } from './rows.ts'

// The types of the values that requests return.

/** A page of a collection. */
export interface Page<One> {
  readonly data: readonly One[]
  readonly meta: Readonly<Record<string, unknown>>
  readonly links: Readonly<Record<string, unknown>>
  /** The entity tag of the response. */
  readonly etag: string | null
  /** Requests the next page; null on the last one. */
  next(): Promise<Page<One> | null>
}

/** A request of a collection: a promise of its first page, and an iterable of the rows of all pages. Sent when it is used. */
export interface Pages<One> extends Promise<Page<One>>, AsyncIterable<One> {
  pages(): AsyncIterable<Page<One>>
}

/** The response to a write that a job completes. */
export interface Accepted<Job> {
  readonly accepted: true
  /** The URL of the job. */
  readonly location: string | null
  readonly retryAfter: string | null
  /** Null if the response describes no job. */
  readonly job: Job | null
}

type MetaDocument = Readonly<Record<string, unknown>>

/** The value of a request, by the responses that it may have. */
export type ResultOf<Types, Type extends string, Answers, Paths, Fields> = Answers extends 'row'
  ? Row<Types, Type, Paths, Fields, Tagged<Types, Type>>
  : Answers extends 'none'
    ? undefined
    : Answers extends 'meta'
      ? MetaDocument
      : Answers extends { readonly accepted: infer Job extends string }
        ? Accepted<Row<Types, Job>>
        : Answers extends { readonly row: infer Other extends string }
          ? Row<Types, Other>
          : Ref & Readonly<Record<string, unknown>>
