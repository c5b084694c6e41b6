import type { BulkContext, Seed } from '#store'
import { Library, LibraryItem } from './entity.ts'

export default {
  after: ['users', 'tracks', 'albums', 'artists'],

  async run({ em }) {
    await em.insert(Library, { id: 1, owner: 1 })
    await em.insertMany(LibraryItem, [
      { id: 1, library: 1, item: to('tracks', 1), position: 1 },
      { id: 2, library: 1, item: to('albums', 2), position: 2 },
      { id: 3, library: 1, item: to('artists', 1), position: 3 },
    ])
  },

  async bulk({ em, unit, random }) {
    const rows = Array.from({ length: 10 }, (_, index) => unit * 10 + index)
    await em.insertMany(
      Library,
      rows.map((row) => ({ id: 1001 + row, owner: 1001 + row })),
    )
    await em.insertMany(
      LibraryItem,
      rows.flatMap((row) => toItems(row, unit, random)),
    )
    return rows.length
  },
} satisfies Seed

/** Ten tracks, six albums and four artists of the unit, mixed, without duplicates. */
function toItems(row: number, unit: number, random: BulkContext['random']) {
  const draw = random(row)
  const start = draw.integer(0, 999)
  const items = [
    ...Array.from({ length: 10 }, (_, index) => to('tracks', 1001 + unit * 1000 + ((start + index * 37) % 1000))),
    ...Array.from({ length: 6 }, (_, index) => to('albums', 1001 + unit * 100 + ((start + index * 7) % 100))),
    ...Array.from({ length: 4 }, (_, index) => to('artists', 1001 + unit * 20 + ((start + index * 3) % 20))),
  ]
  return items.map((item, index) => ({
    id: 1001 + row * items.length + index,
    library: 1001 + row,
    item,
    position: ((index * 7) % items.length) + 1,
  }))
}

/** The stored pair of type and id; MikroORM's types accept references only. */
function to(table: 'tracks' | 'albums' | 'artists', id: number): never {
  return [table, id] as never
}
