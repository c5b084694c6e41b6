import type { PageDescription, Schema } from '#kernel/plugin'
import type { SizeOptions } from './page-size.ts'

const whole = (description: string): Schema => ({ type: 'integer', minimum: 0, description })
const position = (description: string): Schema => ({ type: ['integer', 'null'], minimum: 1, description })

const counted = { total: whole('The size of the collection; only when it was counted.') }
const range = {
  from: position('The position of the first item; null when there is none.'),
  to: position('The position of the last item; null when there is none.'),
}
const number: Schema = { type: 'integer', minimum: 1, default: 1, description: 'The page, counted from 1.' }
const numbered = { currentPage: whole('The page, counted from 1.') }
const lastPage = { lastPage: whole('The number of pages; only when the collection was counted.') }

/** Items per page; more than the cap are cut down to it. */
export function sizeSchema({ size = 15, max = 100 }: SizeOptions): Schema {
  return {
    type: 'integer',
    minimum: 0,
    ...(max > 0 && { maximum: max }),
    default: max > 0 ? Math.min(size, max) : size,
    description: 'How many items to send at most.',
  }
}

export function pageDescription(options: SizeOptions): PageDescription {
  return {
    name: 'Page',
    parameters: { number, size: sizeSchema(options) },
    meta: { ...numbered, perPage: whole('Items per page.'), ...range, ...counted, ...lastPage },
  }
}

export function fixedDescription(): PageDescription {
  return { name: 'FixedPage', parameters: { number }, meta: { ...numbered, ...counted, ...lastPage } }
}

export function offsetDescription(options: SizeOptions): PageDescription {
  const offset: Schema = { type: 'integer', minimum: 0, default: 0, description: 'How many items to pass over.' }
  return {
    name: 'Offset',
    parameters: { offset, limit: sizeSchema(options) },
    meta: { offset: whole('Items passed over.'), limit: whole('Items at most.'), ...range, ...counted },
  }
}
