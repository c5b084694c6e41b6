import Joi from 'joi'
import { ApiError, sortingUnsupported } from '#kernel/errors'
import type { Query, ResourceType } from '#kernel/plugin'
import { wireId } from '#kernel/plugin'
import type { Keyset, Page, PageLink, PageParams, PageView, Paginator, SortTerm, Window } from '#kernel/queries'
import { completeOrder } from '#kernel/queries'
import { optionFaults } from '../option-faults.ts'
import type { PageOptions } from '../page.ts'
import { clampSize, sizeForms } from '../page-size.ts'
import { type Strategy, strategy } from '../strategy.ts'
import { cursorDescription } from './page-description.ts'
import { createRowToken, createToken, readToken } from './token.ts'

export const cursorProfileUri = 'https://jsonapi.org/profiles/ethanresnick/cursor-pagination/'

export type CursorOptions = Pick<PageOptions, 'size' | 'max'>

const cursorForm = Joi.object(sizeForms)

/** The members of `page` that select a page behind or before a cursor. */
export interface CursorPage {
  readonly after?: string
  readonly before?: string
  readonly size?: number
}

/** Keyset pagination by `page[size]`, `page[after]` and `page[before]`, without COUNT and OFFSET. */
export function cursor(options: CursorOptions = {}): Strategy<CursorPage, 'cursor'> {
  const paginator: Paginator & { readonly kind: 'cursor' } = {
    kind: 'cursor',
    description: cursorDescription(options),
    faults: optionFaults('cursor', cursorForm, options),
    profile: cursorProfileUri,
    keyset: true,
    counts: false,
    window: (params, query) => cursorWindow(params, query, options),
    page: (page, window, type, link) => cursorView(page, window, type, link),
  }
  return strategy(paginator, ['after', 'before'])
}

function cursorWindow(params: PageParams, query: Query, options: CursorOptions): Window {
  const fault = cursorSortFault(query.sort, 'sort')
  if (fault) query.faults.push(fault)
  const terms = completeOrder(query.sort, query.type)
  const after = readBoundary('after', params, terms, query)
  const before = readBoundary('before', params, terms, query)
  const isRange = after !== undefined && before !== undefined
  const size = isRange && params.size === undefined && options.max !== 0 ? String(options.max ?? 100) : params.size
  return {
    limit: clampSize(size, options, query.maxPageSize),
    offset: 0,
    probe: true,
    keyset: { terms, after, before },
  }
}

/** Returns the fault of an order that a cursor cannot represent; null if it can. */
export function cursorSortFault(terms: readonly SortTerm[], parameter: string): ApiError | null {
  if (!terms.some(({ custom }) => custom)) return null
  const links = { type: `${cursorProfileUri}unsupported-sort` }
  return sortingUnsupported({ parameter }, { source: { parameter }, links })
}

/** Returns the key values of `page[after]` or `page[before]`; undefined if absent, or malformed (then adds a fault). */
function readBoundary(
  name: 'after' | 'before',
  params: PageParams,
  terms: Keyset['terms'],
  query: Query,
): Keyset['after'] | undefined {
  const text = params[name]
  if (text === undefined) return undefined
  const values = readToken(text, terms, query.type, `page[${name}]`)
  if (!(values instanceof ApiError)) return values
  query.faults.push(values)
  return undefined
}

function cursorView(
  { records, hasMore }: Page,
  { limit, keyset }: Window,
  type: ResourceType,
  link: PageLink,
): PageView {
  const { terms, after, before } = keyset as Keyset
  const size = String(limit ?? 0)
  const first = records[0]
  const last = records.at(-1)
  const isRange = after !== undefined && before !== undefined
  const backwards = before !== undefined && !isRange
  const more = limit !== 0 && (backwards || hasMore)
  const meta: Record<string, unknown> = { perPage: limit ?? 0 }
  if (first && last) {
    meta.from = wireId(type, first)
    meta.to = wireId(type, last)
  }
  meta.hasMore = more
  if (isRange && hasMore) meta.rangeTruncated = true
  const links: Record<string, string> = {}
  if (limit === 0) return { links, meta }
  const hasPrev = backwards ? hasMore : after !== undefined && !isRange
  links.first = link({ size })
  if (hasPrev && first) links.prev = link({ size, before: createRowToken(first, terms, 'before') })
  if (more && last) {
    const position = { size, after: createRowToken(last, terms, 'after') }
    links.next = link(isRange ? { ...position, before: createToken(before, terms, 'before') } : position)
  }
  return { links, meta }
}
