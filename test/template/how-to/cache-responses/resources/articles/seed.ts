import type { Seed } from '#store'
import { Article } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Article, [{ id: 1, title: 'Caching' }])
  },
} satisfies Seed
