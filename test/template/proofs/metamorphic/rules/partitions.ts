import type { RandomSource } from '#test/conformance/random.ts'
import { type Rule, readIds } from '../world.ts'

type DrawValue = (draw: RandomSource) => string

const rating: DrawValue = (draw) => draw.pick(['0', '0.5', '7', '7.25', '99.99', '50'])
const position: DrawValue = (draw) => String(draw.below(5))
const several =
  (value: DrawValue): DrawValue =>
  (draw) =>
    [value(draw), value(draw)].join()
const id: DrawValue = (draw) => String(1 + draw.below(12))
const title: DrawValue = (draw) => draw.pick(['Emma', 'emma', 'Ärger', 'a,b', '100 %', "it's", 'none'])
const any: DrawValue = () => ''

/** Filters of which each book satisfies exactly one, with the same value. Only ordered comparisons exclude null. */
const partitions: readonly (readonly [keys: readonly string[], value: DrawValue])[] = [
  [['title', 'otherTitle'], title],
  [['rating', 'otherRating'], rating],
  [['ratedAbove', 'ratedUpTo', 'unrated'], rating],
  [['ratings', 'otherRatings'], several(rating)],
  [['positionFrom', 'positionBelow'], position],
  [['positions', 'otherPositions'], several(position)],
  [['ids', 'otherIds'], several(id)],
  [['shelves', 'otherShelves'], several(id)],
  [['shelved', 'unshelved'], any],
  [['tagged', 'untagged'], any],
  [['rated', 'unrated'], any],
]

/** A filter, its negation and the rows without a value partition the collection. */
export const filtersPartitionRows: Rule = async (world, draw) => {
  const [keys, drawValue] = draw.pick(partitions)
  const value = encodeURIComponent(drawValue(draw))
  const read = (filter: string) => world.read(`/books?page[size]=50${filter}`)
  const whole = readIds(await read(''))
  const parts = await Promise.all(keys.map(async (key) => readIds(await read(`&filter[${key}]=${value}`))))
  const joined = parts.flat().sort((a, b) => Number(a) - Number(b))
  if (joined.join() === whole.join()) return null
  const shown = keys.map((key, index) => `filter[${key}]=${value} has ${parts[index]}`)
  return `GET /books has ${whole}; ${shown.join('; ')}.`
}
