import type { BulkContext, Seed } from '#store'
import { Favorite } from './entity.ts'

export default {
  after: ['users', 'tracks', 'albums', 'artists'],

  async run({ em }) {
    await em.insertMany(Favorite, [
      { id: 1, user: 1, favoritable: to('tracks', 2), favoritedAt: new Date('2024-01-15T10:00:00Z') },
      { id: 2, user: 1, favoritable: to('albums', 1), favoritedAt: new Date('2024-02-20T14:30:00Z') },
      { id: 3, user: 1, favoritable: to('artists', 2), favoritedAt: new Date('2024-03-05T08:15:00Z') },
    ])
  },

  async bulk({ em, unit, random }) {
    const rows = Array.from({ length: 100 }, (_, index) => toFavorite(unit * 100 + index, unit, random))
    await em.insertMany(Favorite, rows)
    return rows.length
  },
} satisfies Seed

function toFavorite(row: number, unit: number, random: BulkContext['random']) {
  const draw = random(row)
  const kind = draw.integer(1, 10)
  return {
    id: 1001 + row,
    user: 1001 + unit * 10 + (row % 10),
    favoritable:
      kind <= 6
        ? to('tracks', 1001 + unit * 1000 + draw.integer(0, 999))
        : kind <= 9
          ? to('albums', 1001 + unit * 100 + draw.integer(0, 99))
          : to('artists', 1001 + unit * 20 + draw.integer(0, 19)),
    favoritedAt: new Date(Date.UTC(2024, draw.integer(0, 11), draw.integer(1, 28), 12)),
  }
}

/** The stored pair of type and id; MikroORM's types accept references only. */
function to(table: 'tracks' | 'albums' | 'artists', id: number): never {
  return [table, id] as never
}
