import type { RandomSource } from '#test/conformance/random.ts'
import { listResources, type ResourceObject, type Rule, type World } from '../world.ts'

/** Without `printedAt`, which is stored in microseconds and shown in seconds. */
const names = ['title', 'position', 'rating'] as const

/** A second sort key orders the rows with equal first keys, as it orders the collection, and moves no others. */
export const sortsAreStable: Rule = async (world, draw) => {
  const [first, second] = [drawKey(draw), drawKey(draw)]
  if (first.name === second.name) return null
  const [one, other, both] = await Promise.all([
    sortedBy(world, first.text),
    sortedBy(world, second.text),
    sortedBy(world, `${first.text},${second.text}`),
  ])
  const value = ({ attributes }: ResourceObject) => JSON.stringify(attributes?.[first.name])
  const url = `GET /books?sort=${first.text},${second.text}`
  if (one.map(value).join() !== both.map(value).join())
    return `${url}: '${first.text}' alone gives another order of it.`
  for (const group of new Set(one.map(value))) {
    const [expected, actual] = [other, both].map((rows) =>
      rows
        .filter((row) => value(row) === group)
        .map(readId)
        .join(),
    )
    if (expected !== actual) return `${url}: ${first.name} ${group} has ${actual}, sort=${second.text} has ${expected}.`
  }
  return null
}

interface SortKey {
  readonly name: (typeof names)[number]
  readonly text: string
}

function drawKey(draw: RandomSource): SortKey {
  const name = draw.pick(names)
  return { name, text: draw.chance(50) ? `-${name}` : name }
}

async function sortedBy(world: World, sort: string): Promise<readonly ResourceObject[]> {
  return listResources(await world.read(`/books?sort=${sort}&page[size]=50`))
}

function readId({ id }: ResourceObject): string {
  return id
}
