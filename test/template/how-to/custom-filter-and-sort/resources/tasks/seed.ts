import type { Seed } from '#store'
import { Task } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Task, [
      { id: 1, title: 'File taxes', priority: 3, dueOn: '2026-05-31' },
      { id: 2, title: 'Pay rent', priority: 3, dueOn: '2026-04-30' },
      { id: 3, title: 'Water plants', priority: 0, dueOn: '2026-04-30', doneAt: new Date('2026-04-30T08:00:00Z') },
    ])
  },
} satisfies Seed
