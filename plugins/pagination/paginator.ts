import type { Page, PageLink, PageParams, PageView, Paginator, Window } from '#kernel'

export interface PageOptions {
  /** Items per page when the client does not say. */
  readonly size?: number
  /** The largest page a client may ask for; 0 is no limit. */
  readonly max?: number
}

/** A page value that is not a whole number counts as not sent. */
export function readInteger(text: string | undefined, fallback: number): number {
  return text !== undefined && /^-?[0-9]+$/.test(text) ? Number(text) : fallback
}

export function clampSize(text: string | undefined, { size = 15, max = 100 }: PageOptions): number {
  const wanted = Math.max(0, readInteger(text, size))
  return max > 0 ? Math.min(wanted, max) : Math.min(wanted, maxLimit)
}

const maxLimit = 1_000_000
/** The largest offset PostgreSQL takes is far above; a number beyond this cannot be exact. */
const maxOffset = Number.MAX_SAFE_INTEGER

/** `page[number]`, `page[size]`: numbered pages that do not count; a row past the page says whether there is more. */
export function page(options: PageOptions = {}): Paginator {
  return {
    kind: 'page',
    counts: false,
    window: (params) => pageWindow(params, options),
    page: (page, window, _type, link) => pageView(page, window, link),
  }
}

function pageWindow(params: PageParams, options: PageOptions): Window {
  const size = clampSize(params.size, options)
  const number = Math.max(1, readInteger(params.number, 1))
  return { limit: size, offset: Math.min((number - 1) * size, maxOffset), probe: true }
}

function pageView({ records, hasMore, total }: Page, { limit, offset }: Window, link: PageLink): PageView {
  const size = limit ?? 0
  const number = size > 0 ? Math.floor(offset / size) + 1 : 1
  const lastPage = total === undefined ? undefined : size > 0 ? Math.ceil(total / size) : 0
  const to = (wanted: number) => link({ number: String(wanted), size: String(size) })
  const isEmpty = records.length === 0
  const meta = {
    currentPage: number,
    perPage: size,
    from: isEmpty ? null : offset + 1,
    to: isEmpty ? null : offset + records.length,
    ...(total !== undefined && { total, lastPage }),
  }
  if (size === 0 || total === 0 || (isEmpty && number === 1)) return { links: {}, meta }
  return {
    links: {
      ...(!isEmpty && { self: to(number) }),
      first: to(1),
      ...(number > 1 && { prev: to(isEmpty && lastPage ? lastPage : number - 1) }),
      ...(!isEmpty && hasMore && { next: to(number + 1) }),
      ...(lastPage && { last: to(lastPage) }),
    },
    meta,
  }
}
