import type { Seed } from '#store'
import { Document } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Document, [
      { id: 1, name: 'notes.txt' },
      { id: 2, name: 'empty.txt' },
    ])
  },
} satisfies Seed
