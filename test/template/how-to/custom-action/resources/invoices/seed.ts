import type { Seed } from '#store'
import { Invoice } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Invoice, [{ id: 1, number: 'R-1' }])
  },
} satisfies Seed
