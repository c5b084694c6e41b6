import type { Seed } from '#store'
import { Product } from './entity.ts'

export default {
  async run() {},

  async bulk({ em, unit, random }) {
    const first = 1001 + unit * 20
    const rows = Array.from({ length: 20 }, (_, index) => {
      const draw = random(unit * 20 + index)
      return {
        id: first + index,
        name: `${draw.pick(['Poster', 'Shirt', 'Mug', 'Vinyl'])} ${first + index}`,
        parent: index < 4 ? null : first + draw.integer(0, 3),
      }
    })
    await em.insertMany(Product, rows)
    return rows.length
  },
} satisfies Seed
