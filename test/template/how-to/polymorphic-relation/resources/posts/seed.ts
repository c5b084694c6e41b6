import type { Seed } from '#store'
import { Post } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Post, [{ id: 1, title: 'Hello' }])
  },
} satisfies Seed
