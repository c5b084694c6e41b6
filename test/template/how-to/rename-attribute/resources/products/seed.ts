import type { Seed } from '#store'
import { Product } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Product, [{ id: 1, title: 'Pen' }])
  },
} satisfies Seed
