import type { PageDescription, Schema } from '#openapi'
import type { SizeOptions } from './page-size.ts'

const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description })
const position = (description: string): Schema => ({ type: ['integer', 'null'], minimum: 1, description })

const total = { total: count('The number of items in the collection; only if it was counted.') }
const range = {
  from: position('The position of the first item on the page; null if the page is empty.'),
  to: position('The position of the last item on the page; null if the page is empty.'),
}
const number: Schema = { type: 'integer', minimum: 1, default: 1, description: 'The page number, starting at 1.' }
const currentPage = { currentPage: count('The page number, starting at 1.') }
const lastPage = { lastPage: count('The number of pages; only if the collection was counted.') }

/** A size above the maximum is not an error: it is reduced to the maximum. */
export function sizeSchema({ size = 15, max = 100 }: SizeOptions): Schema {
  return {
    type: 'integer',
    minimum: 0,
    ...(max > 0 && { maximum: max }),
    default: max > 0 ? Math.min(size, max) : size,
    description: 'The maximum number of items on the page.',
  }
}

export function pageDescription(options: SizeOptions): PageDescription {
  return {
    name: 'Page',
    parameters: { number, size: sizeSchema(options) },
    meta: { ...currentPage, perPage: count('The number of items per page.'), ...range, ...total, ...lastPage },
  }
}

export function fixedDescription(): PageDescription {
  return { name: 'FixedPage', parameters: { number }, meta: { ...currentPage, ...total, ...lastPage } }
}

export function offsetDescription(options: SizeOptions): PageDescription {
  const offset: Schema = { type: 'integer', minimum: 0, default: 0, description: 'The number of items to skip.' }
  return {
    name: 'Offset',
    parameters: { offset, limit: sizeSchema(options) },
    meta: {
      offset: count('The number of items skipped.'),
      limit: count('The maximum number of items on the page.'),
      ...range,
      ...total,
    },
  }
}
