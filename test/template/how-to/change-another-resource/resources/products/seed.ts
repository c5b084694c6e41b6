import type { Seed } from '#store'
import { Product } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Product, [
      { id: 1, name: 'Lamp', stock: 5 },
      { id: 2, name: 'Chair', stock: 20 },
      { id: 3, name: 'Desk', stock: 20 },
    ])
  },
} satisfies Seed
