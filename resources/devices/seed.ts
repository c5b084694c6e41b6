import type { Seed } from '#store'
import { Device } from './entity.ts'

export default {
  async run() {},

  async bulk({ em, unit, random }) {
    const rows = Array.from({ length: 20 }, (_, index) => {
      const row = unit * 20 + index
      const label = random(row).pick(['Phone', 'Tablet', 'Kitchen Radio', 'Car'])
      return { id: String(1001 + row).padStart(26, '0'), label }
    })
    await em.insertMany(Device, rows)
    return rows.length
  },
} satisfies Seed
