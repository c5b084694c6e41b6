import type { Seed } from '#store'
import { Employee } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Employee, [
      { id: 1, name: 'Ada', email: 'ada@example.com', salary: 90_000 },
      { id: 2, name: 'Bob', email: 'bob@example.com', salary: 60_000, manager: 1 },
      { id: 3, name: 'Eve', email: 'eve@example.com', salary: 50_000, leftAt: new Date('2026-01-01T00:00:00Z') },
    ])
  },
} satisfies Seed
