import type { Seed } from '#store'
import { Note } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Note, [
      { id: 1, title: 'Buy milk' },
      { id: 2, title: 'Call Ada' },
    ])
  },
} satisfies Seed
