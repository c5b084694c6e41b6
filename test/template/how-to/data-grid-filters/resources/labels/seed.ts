import type { Seed } from '#store'
import { Label } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Label, [
      { id: 1, name: 'urgent' },
      { id: 2, name: 'garden' },
    ])
  },
} satisfies Seed
