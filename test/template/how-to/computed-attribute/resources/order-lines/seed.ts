import type { Seed } from '#store'
import { OrderLine } from './entity.ts'

export default {
  after: ['orders'],

  async run({ em }) {
    await em.insertMany(OrderLine, [
      { id: 1, order: 1, product: 'Pen', quantity: 3, price: 1.5 },
      { id: 2, order: 1, product: 'Paper', quantity: 1, price: 4 },
    ])
  },
} satisfies Seed
