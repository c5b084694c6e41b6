import type { Seed } from '#store'
import { Note } from './entity.ts'

export default {
  after: ['authors'],

  async run({ em }) {
    await em.insertMany(Note, [
      { id: 1, title: 'Buy milk', author: 1 },
      { id: 2, title: 'Call Grace', author: 1, pinned: true },
    ])
  },

  async bulk({ em, unit, random }) {
    const rows = Array.from({ length: 100 }, (_, index) => {
      const row = unit * 100 + index
      const draw = random(row)
      return { id: 1001 + row, title: `Note ${row}`, author: draw.pick([1, 2]), pinned: draw.share(10, 'pinned') }
    })
    await em.insertMany(Note, rows)
    return rows.length
  },
} satisfies Seed
