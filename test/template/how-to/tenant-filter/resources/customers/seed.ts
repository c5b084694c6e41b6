import type { Seed } from '#store'
import { Customer } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Customer, [
      { id: 1, tenant: 'acme', name: 'Ada' },
      { id: 2, tenant: 'globex', name: 'Grace' },
    ])
  },
} satisfies Seed
