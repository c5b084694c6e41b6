import type { BulkContext, Seed } from '#store'
import { User } from './entity.ts'

export default {
  async run({ em }) {
    await em.insert(User, {
      id: 1,
      email: 'ada@example.com',
      displayName: 'Ada',
      birthDate: '1990-12-10',
      preferences: { autoplay: true, theme: 'dark' },
      lastSeenIp: '203.0.113.7',
    })
  },

  async bulk({ em, unit, random }) {
    const rows = Array.from({ length: 10 }, (_, index) => toUser(unit * 10 + index, random))
    await em.insertMany(User, rows)
    return rows.length
  },
} satisfies Seed

const names = ['Alma', 'Bruno', 'Chidi', 'Dana', 'Emre', 'Freya', 'Goran', 'Hana']

function toUser(row: number, random: BulkContext['random']) {
  const draw = random(row)
  const id = 1001 + row
  return {
    id,
    email: `listener${id}@example.com`,
    displayName: draw.pick(names),
    birthDate: draw.share(30, 'birth') ? null : `${draw.integer(1950, 2009)}-0${draw.integer(1, 9)}-15`,
    preferences: { autoplay: draw.share(50, 'autoplay'), theme: draw.pick(['dark', 'light']) },
    lastSeenIp: draw.share(20, 'ip') ? null : `198.51.100.${draw.integer(1, 254)}`,
  }
}
