import type { Query } from '#kernel/plugin'
import type { Page, PageLink, PageParams, PageView, Window } from '#kernel/queries'
import { optionFaults } from './option-faults.ts'
import { type PageOptions, pageForm } from './page.ts'
import { offsetDescription } from './page-descriptions.ts'
import { clampOffset, clampSize, readInteger } from './page-size.ts'
import { type Strategy, strategy } from './strategy.ts'

/** Paginates by `page[offset]` and `page[limit]`. Without a count, one extra row shows if there is a next page. */
export function offset(
  options: PageOptions = {},
): Strategy<{ readonly offset?: number; readonly limit?: number }, 'offset'> {
  const paginator = {
    kind: 'offset' as const,
    description: offsetDescription(options),
    faults: optionFaults('offset', pageForm, options),
    counts: options.withCount ?? false,
    window: (params: PageParams, { maxPageSize }: Query): Window => ({
      limit: clampSize(params.limit, options, maxPageSize),
      offset: clampOffset(readInteger(params.offset, 0)),
      probe: true,
    }),
    page: (page: Page, window: Window, _type: unknown, link: PageLink) => offsetView(page, window, link),
  }
  return strategy(paginator, ['offset', 'limit'])
}

function offsetView({ records, hasMore, total }: Page, window: Window, link: PageLink): PageView {
  const { offset } = window
  const limit = window.limit ?? 0
  const isEmpty = records.length === 0
  const meta = {
    offset,
    limit,
    from: isEmpty ? null : offset + 1,
    to: isEmpty ? null : offset + records.length,
    ...(total !== undefined && { total }),
  }
  if (limit === 0 || total === 0 || (isEmpty && offset === 0)) return { links: {}, meta }
  const linkTo = (start: number) => link({ offset: String(start), limit: String(limit) })
  const last = total === undefined ? undefined : Math.floor((total - 1) / limit) * limit
  return {
    links: {
      ...(!isEmpty && { self: linkTo(offset) }),
      first: linkTo(0),
      ...(offset > 0 && { prev: linkTo(isEmpty && last !== undefined ? last : Math.max(0, offset - limit)) }),
      ...(!isEmpty && hasMore && { next: linkTo(offset + limit) }),
      ...(last !== undefined && { last: linkTo(last) }),
    },
    meta,
  }
}
