import type { RandomSource } from '#test/conformance/random.ts'
import {
  drawBookQuery,
  drawSort,
  listResources,
  type ResourceObject,
  type Rule,
  readIds,
  type World,
} from '../world.ts'

/** The pages of any kind and size, joined in both directions, equal the whole collection. */
export const pagesAreTheWhole: Rule = async (world, draw) => {
  const path = await drawCollection(world, draw)
  // Without a sort, cursors have the order of the ids, and other pages that of the relation.
  const query = path === '/books' ? drawBookQuery(draw) : `sort=${drawSort(draw)}`
  const whole = listResources(await world.read(`${path}?${query}&page[kind]=page&page[size]=50`)).map(withoutPosition)
  const kind = draw.pick(['page', 'offset', 'cursor'])
  const size = 1 + draw.below(9)
  const first = `${path}?${query}&page[kind]=${kind}&page[${kind === 'offset' ? 'limit' : 'size'}]=${size}`
  const forward = await follow(world, first, 'next')
  const difference = compare(whole, forward.rows, first)
  if (difference || !forward.last) return difference
  const backward = await follow(world, forward.last, 'prev')
  return compare(whole, backward.rows, `${first}, pages from the last one back`)
}

/** All books, or those of a shelf. */
async function drawCollection(world: World, draw: RandomSource): Promise<string> {
  const shelves = readIds(await world.read('/shelves?page[size]=50'))
  return shelves.length > 0 && draw.chance(40) ? `/shelves/${draw.pick(shelves)}/books` : '/books'
}

interface Followed {
  readonly rows: readonly ResourceObject[]
  /** The path of the last page. */
  readonly last: string | null
}

async function follow(world: World, first: string, direction: 'next' | 'prev'): Promise<Followed> {
  const pages: (readonly ResourceObject[])[] = []
  let path: string | null = first
  let last = first
  while (path !== null) {
    const document = await world.read(path)
    pages.push(listResources(document).map(withoutPosition))
    if (pages.length > maxPages) throw new Error(`The ${direction} links of ${first} do not end.`)
    last = path
    const link: string | null | undefined = document.links?.[direction]
    path = link ? link.replace(/^https?:\/\/[^/]+/, '') : null
  }
  return { rows: (direction === 'next' ? pages : pages.reverse()).flat(), last: pages.length > 1 ? last : null }
}

const maxPages = 60

/** A cursor page has the cursor of each row in its `meta`. */
function withoutPosition({ meta: _, ...resource }: ResourceObject): ResourceObject {
  return resource
}

function compare(whole: readonly ResourceObject[], joined: readonly ResourceObject[], path: string): string | null {
  if (JSON.stringify(whole) === JSON.stringify(joined)) return null
  const ids = (rows: readonly ResourceObject[]) => rows.map(({ id }) => id).join()
  return `GET ${path}: the pages have ${ids(joined)}, the whole has ${ids(whole)}.`
}
