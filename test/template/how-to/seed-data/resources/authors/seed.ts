import type { Seed } from '#store'
import { Author } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Author, [
      { id: 1, name: 'Ada' },
      { id: 2, name: 'Grace' },
    ])
  },
} satisfies Seed
