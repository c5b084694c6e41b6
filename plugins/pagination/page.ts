import type { Page, PageParams, PageView, Window } from '#kernel/plugin'
import { fixedDescription, pageDescription } from './page-descriptions.ts'
import { clampOffset, clampSize, readInteger, type SizeOptions } from './page-size.ts'
import { type Strategy, strategy } from './strategy.ts'

export interface PageOptions extends SizeOptions {
  /** Counts every collection, without being asked. */
  readonly withCount?: boolean
}

export type FixedPageOptions = Pick<PageOptions, 'size' | 'withCount'>

/** `page[number]`, `page[size]`: numbered pages; unless they count, a row past the page says whether there is more. */
export function page(options: PageOptions = {}): Strategy {
  return strategy({
    kind: 'page',
    description: pageDescription(options),
    counts: options.withCount ?? false,
    window: (params, { maxPageSize }) => windowOf(params, clampSize(params.size, options, maxPageSize)),
    page: (page, window, _type, link) => {
      const { links, meta } = numbered(page, window, (number, size) => link({ number, size }))
      return { links, meta }
    },
  })
}

/** `page[number]` only: the size is the server's, and never told. */
export function fixedPage({ size = 15, withCount = false }: FixedPageOptions = {}): Strategy {
  return strategy({
    kind: 'fixed',
    description: fixedDescription(),
    counts: withCount,
    window: (params, { maxPageSize }) => windowOf(params, Math.min(size, maxPageSize)),
    page: (page, window, _type, link) => {
      const { links, meta } = numbered(page, window, (number) => link({ number }))
      const { perPage, from, to, ...rest } = meta
      return { links, meta: rest }
    },
  })
}

function windowOf(params: PageParams, size: number): Window {
  const number = Math.max(1, readInteger(params.number, 1))
  return { limit: size, offset: clampOffset((number - 1) * size), probe: true }
}

interface NumberedView extends PageView {
  readonly meta: Readonly<Record<string, unknown>>
}

function numbered(
  { records, hasMore, total }: Page,
  { limit, offset }: Window,
  link: (number: string, size: string) => string,
): NumberedView {
  const size = limit ?? 0
  const number = size > 0 ? Math.floor(offset / size) + 1 : 1
  const lastPage = total === undefined ? undefined : size > 0 ? Math.ceil(total / size) : 0
  const isEmpty = records.length === 0
  const meta: Record<string, unknown> = {
    currentPage: number,
    perPage: size,
    from: isEmpty ? null : offset + 1,
    to: isEmpty ? null : offset + records.length,
  }
  if (total !== undefined) {
    meta.total = total
    meta.lastPage = lastPage
  }
  const links: Record<string, string> = {}
  if (size === 0 || total === 0 || (isEmpty && number === 1)) return { links, meta }
  const to = (wanted: number) => link(String(wanted), String(size))
  if (!isEmpty) links.self = to(number)
  links.first = to(1)
  if (number > 1) links.prev = to(isEmpty && lastPage ? lastPage : number - 1)
  if (!isEmpty && hasMore) links.next = to(number + 1)
  if (lastPage) links.last = to(lastPage)
  return { links, meta }
}
