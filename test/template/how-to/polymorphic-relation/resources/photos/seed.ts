import type { Seed } from '#store'
import { Photo } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Photo, [{ id: 1, title: 'Sunset' }])
  },
} satisfies Seed
