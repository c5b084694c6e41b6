import type { Seed } from '#store'
import { Note } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Note, [
      { id: 1, title: 'Public plan', shared: true, owner: 'ada' },
      { id: 2, title: 'Diary', owner: 'ada' },
    ])
  },
} satisfies Seed
