import type { Seed } from '#store'
import { Room } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Room, [
      { id: 1, name: 'Attic' },
      { id: 2, name: 'Cellar' },
    ])
  },
} satisfies Seed
