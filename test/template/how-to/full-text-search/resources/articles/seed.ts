import type { Seed } from '#store'
import { Article } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Article, [
      { id: 1, title: 'Running a database', body: 'Back up first.' },
      { id: 2, title: 'Cooking', body: 'How to cook, with runs of recipes.' },
      { id: 3, title: 'Databases', body: 'A database that runs.' },
    ])
  },
} satisfies Seed
