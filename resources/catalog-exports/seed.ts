import type { Seed } from '#store'
import { CatalogExport } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(CatalogExport, [
      { id: 1, format: 'csv', status: 'ready' },
      { id: 2, format: 'json', status: 'ready' },
    ])
  },
} satisfies Seed
