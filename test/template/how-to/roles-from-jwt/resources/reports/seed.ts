import type { Seed } from '#store'
import { Report } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Report, [{ id: 1, title: 'Sales' }])
  },
} satisfies Seed
