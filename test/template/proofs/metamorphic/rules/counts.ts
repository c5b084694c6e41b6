import { drawBookQuery, listResources, type ResponseDocument, type Rule, readIds } from '../world.ts'

const relations = { books: ['tags'], shelves: ['books'], tags: ['books'], lists: ['books'] } as const

/** The count of a collection is the number of its rows under the same filter; that of a relation, of its members. */
export const countsAreLengths: Rule = async (world, draw) => {
  if (draw.chance(50)) {
    const query = drawBookQuery(draw)
    const url = `/books?${query}&withCount=_self_&page[kind]=${draw.pick(['page', 'offset'])}`
    const whole = await world.read(`/books?${query}&page[kind]=page&page[size]=50`)
    return compare(url, readTotal(await world.read(url)), readIds(whole).length)
  }
  const type = draw.pick(Object.keys(relations) as (keyof typeof relations)[])
  const [name] = relations[type]
  const url = `/${type}?withCount=${name}&page[size]=50`
  const parents = listResources(await world.read(url))
  if (parents.length === 0) return null
  const { id, relationships } = draw.pick(parents)
  const members = await world.read(`/${type}/${id}/${name}?page[size]=50`)
  return compare(`${url} of ${id}`, relationships?.[name]?.meta?.total, readIds(members).length)
}

function readTotal({ meta }: ResponseDocument): number | undefined {
  return meta?.total ?? meta?.page?.total
}

function compare(url: string, count: number | undefined, length: number): string | null {
  return count === length ? null : `GET ${url}: the count is ${count}, there are ${length} rows.`
}
