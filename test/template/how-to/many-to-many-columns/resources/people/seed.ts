import type { Seed } from '#store'
import { Person } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Person, [
      { id: 1, name: 'Ada' },
      { id: 2, name: 'Bob' },
    ])
  },
} satisfies Seed
