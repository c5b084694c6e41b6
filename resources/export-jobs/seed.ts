import type { Seed } from '#store'
import { ExportJob } from './entity.ts'

export default {
  after: ['catalog-exports'],

  async run({ em }) {
    await em.insertMany(ExportJob, [
      { id: 'job-completed', state: 'completed', catalogExport: 1 },
      { id: 'job-processing', state: 'processing' },
    ])
  },
} satisfies Seed
