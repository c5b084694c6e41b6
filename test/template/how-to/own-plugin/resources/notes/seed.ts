import type { Seed } from '#store'
import { Note } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Note, [
      { id: 1, title: 'Old', updatedAt: new Date('2026-01-01T00:00:00Z') },
      { id: 2, title: 'New', updatedAt: new Date('2026-02-01T00:00:00Z') },
    ])
  },
} satisfies Seed
