import type { Seed } from '#store'
import { Membership, Project } from './entity.ts'

export default {
  after: ['people'],

  async run({ em }) {
    const addedAt = new Date('2026-01-01T00:00:00Z')
    await em.insertMany(Project, [{ id: 1, title: 'Engine' }])
    await em.insertMany(Membership, [{ project: 1, person: 1, role: 'lead', hours: 20, addedAt }])
  },
} satisfies Seed
