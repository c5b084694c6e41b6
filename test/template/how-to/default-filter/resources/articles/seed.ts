import type { Seed } from '#store'
import { Article } from './entity.ts'

export default {
  async run({ em }) {
    const publishedAt = new Date('2026-01-01T00:00:00Z')
    await em.insertMany(Article, [
      { id: 1, title: 'Published', author: 'ada', publishedAt },
      { id: 2, title: 'Draft', author: 'ada' },
      { id: 3, title: 'Archived', author: 'ada', publishedAt, archived: true },
    ])
  },
} satisfies Seed
