import type { Seed } from '#store'
import { Label } from '../labels/entity.ts'
import { Task } from './entity.ts'

export default {
  after: ['labels'],
  async run({ em }) {
    const [urgent, garden] = [em.getReference(Label, 1), em.getReference(Label, 2)]
    em.create(Task, {
      id: 1,
      title: 'File taxes',
      priority: 4,
      status: 'waiting',
      dueOn: '2026-05-31',
      labels: [urgent],
    })
    em.create(Task, { id: 2, title: 'Pay rent', priority: 3, dueOn: '2026-04-30' })
    em.create(Task, { id: 3, title: 'Water plants', status: 'done', dueOn: null, labels: [garden] })
    em.create(Task, { id: 4, title: 'Cut the hedge', priority: 5, status: 'waiting', labels: [garden] })
    await em.flush()
  },
} satisfies Seed
