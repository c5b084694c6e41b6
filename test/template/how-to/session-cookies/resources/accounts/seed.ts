import type { Seed } from '#store'
import { Account } from './entity.ts'
import { hashPassword } from './password.ts'

export default {
  async run({ em }) {
    const passwordHash = await hashPassword('correct horse')
    await em.insertMany(Account, [
      { id: 1, email: 'ada@example.com', name: 'Ada', passwordHash, roles: ['admin'] },
      { id: 2, email: 'bob@example.com', name: 'Bob', passwordHash, roles: [] },
    ])
  },
} satisfies Seed
