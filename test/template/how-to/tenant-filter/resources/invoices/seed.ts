import type { Seed } from '#store'
import { Invoice } from './entity.ts'

export default {
  after: ['customers'],

  async run({ em }) {
    await em.insertMany(Invoice, [
      { id: 1, tenant: 'acme', number: 'A-1', customer: 1 },
      { id: 2, tenant: 'globex', number: 'G-1', customer: 2 },
    ])
  },
} satisfies Seed
