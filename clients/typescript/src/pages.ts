import type { Page } from './results.ts'
import type { Reply } from './send.ts'
import { type Resource, rowReader } from './to-rows.ts'

type Fetch = (search: string) => Promise<Reply>

/**
 * A read that is sent when it is awaited or iterated: resolves to a page if the data is a list, otherwise to a row or null.
 */
export class Reading implements Promise<unknown>, AsyncIterable<unknown> {
  readonly [Symbol.toStringTag] = 'Promise'
  readonly #fetch: Fetch
  readonly #search: string
  readonly #include: readonly string[] | undefined
  #first: Promise<unknown> | undefined

  constructor(fetch: Fetch, search: string, include: readonly string[] | undefined) {
    this.#fetch = fetch
    this.#search = search
    this.#include = include
  }

  // biome-ignore lint/suspicious/noThenProperty: a request is sent when it is awaited
  then<Value, Failure = never>(
    onValue?: ((value: unknown) => Value | PromiseLike<Value>) | null,
    onError?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Value | Failure> {
    this.#first ??= this.#read(this.#search)
    return this.#first.then(onValue, onError) as Promise<Value | Failure>
  }

  catch<Failure = never>(
    onError?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<unknown | Failure> {
    return this.then((value) => value, onError)
  }

  finally(run?: (() => void) | null): Promise<unknown> {
    return this.then((value) => value).finally(run)
  }

  async *pages(): AsyncGenerator<Page<unknown>> {
    for (let page = (await this) as Page<unknown> | null; page; page = await page.next()) yield page
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
    for await (const { data } of this.pages()) yield* data
  }

  async #read(search: string): Promise<unknown> {
    const reply = await this.#fetch(search)
    const { data } = reply.document ?? {}
    if (!Array.isArray(data)) return toResult(reply, this.#include)
    const { meta = {}, links = {} } = reply.document ?? {}
    const next = readHref(links.next)
    return {
      data: data.map(rowReader(reply.document ?? {}, this.#include)),
      meta,
      links,
      etag: reply.headers.get('etag'),
      // The path is that of the first page: behind a proxy the link may have another.
      next: async () => (next ? this.#read(new URL(next, 'http://localhost').search.slice(1)) : null),
    }
  }
}

function readHref(link: unknown): string | undefined {
  return typeof link === 'string' ? link : (link as { readonly href?: string } | null | undefined)?.href
}

/** The value of a response without a list: a row, null, the meta of the document, a job, or undefined. */
export function toResult({ status, headers, document }: Reply, include: readonly string[] | undefined): unknown {
  const { data, meta } = document ?? {}
  const row = data ? { ...rowReader(document ?? {}, include)(data as Resource) } : null
  if (status === 202) {
    const location = headers.get('content-location') ?? headers.get('location')
    return { accepted: true, location, retryAfter: headers.get('retry-after'), job: row }
  }
  if (!document) return undefined
  if (data === undefined) return meta ?? {}
  const etag = headers.get('etag')
  return row && etag ? { ...row, $etag: etag } : row
}
