import Joi from 'joi'
import type { Page, PageParams, PageView, Window } from '#kernel/queries'
import { optionFaults } from './option-faults.ts'
import { fixedDescription, pageDescription } from './page-descriptions.ts'
import { clampOffset, clampSize, readInteger, type SizeOptions, sizeForms } from './page-size.ts'
import { type Strategy, strategy } from './strategy.ts'

/** The members of `page` that select a numbered page. */
interface NumberedPage {
  readonly number?: number
  readonly size?: number
}

declare module '#kernel' {
  interface ApiFacts {
    /** The members of `page` for a type that declares no paginator. */
    readonly page: NumberedPage
  }
}

export interface PageOptions extends SizeOptions {
  /** Counts every collection, even if the request has no `withCount`. */
  readonly withCount?: boolean
}

export type FixedPageOptions = Pick<PageOptions, 'size' | 'withCount'>

/** The options of paginators that may count. */
export const pageForm = Joi.object({ ...sizeForms, withCount: Joi.boolean() })
const fixedPageForm = Joi.object({ size: sizeForms.size, withCount: Joi.boolean() })

/** Paginates by `page[number]` and `page[size]`. Without a count, one extra row shows if there is a next page. */
export function page(options: PageOptions = {}): Strategy<NumberedPage, 'page'> {
  return strategy({
    kind: 'page',
    description: pageDescription(options),
    faults: optionFaults('page', pageForm, options),
    counts: options.withCount ?? false,
    window: (params, { maxPageSize }) => toWindow(params, clampSize(params.size, options, maxPageSize)),
    page: (page, window, _type, link) => numberedView(page, window, (number, size) => link({ number, size })),
  })
}

/** Paginates by `page[number]` only. The server sets the size, and does not return it. */
export function fixedPage(options: FixedPageOptions = {}): Strategy<Pick<NumberedPage, 'number'>, 'fixed'> {
  const { size = 15, withCount = false } = options
  return strategy({
    kind: 'fixed',
    description: fixedDescription(),
    faults: optionFaults('fixedPage', fixedPageForm, options),
    counts: withCount,
    window: (params, { maxPageSize }) => toWindow(params, Math.min(size, maxPageSize)),
    page: (page, window, _type, link) => {
      const { links, meta } = numberedView(page, window, (number) => link({ number }))
      const { perPage, from, to, ...rest } = meta
      return { links, meta: rest }
    },
  })
}

function toWindow(params: PageParams, size: number): Window {
  const number = Math.max(1, readInteger(params.number, 1))
  return { limit: size, offset: clampOffset((number - 1) * size), probe: true }
}

interface NumberedView extends PageView {
  readonly meta: Readonly<Record<string, unknown>>
}

function numberedView(
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
  const linkTo = (target: number) => link(String(target), String(size))
  if (!isEmpty) links.self = linkTo(number)
  links.first = linkTo(1)
  if (number > 1) links.prev = linkTo(isEmpty && lastPage ? lastPage : number - 1)
  if (!isEmpty && hasMore) links.next = linkTo(number + 1)
  if (lastPage) links.last = linkTo(lastPage)
  return { links, meta }
}
