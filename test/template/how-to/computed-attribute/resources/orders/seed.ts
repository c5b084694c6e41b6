import type { Seed } from '#store'
import { Order } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Order, [
      { id: 1, firstName: 'Ada', lastName: 'Lovelace' },
      { id: 2, firstName: 'Grace', lastName: 'Hopper' },
    ])
  },
} satisfies Seed
