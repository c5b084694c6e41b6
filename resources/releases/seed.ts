import type { BulkContext, Seed } from '#store'
import { Release } from './entity.ts'

export default {
  after: ['albums'],

  async run({ em }) {
    await em.insertMany(Release, [
      {
        id: 1,
        catalogNumber: 'NODATA 01 LP',
        format: { medium: 'vinyl', rpm: 33, coloured: true },
        packaging: { material: 'cardboard', gatefold: true },
        availability: { regions: ['GB', 'EU'] },
        dimensions: { widthMm: 315, heightMm: 315, depthMm: 8 },
        album: 1,
      },
      {
        id: 2,
        catalogNumber: 'NODATA 01 DL',
        format: { medium: 'digital', codec: 'FLAC', bitrateKbps: 1411 },
        availability: { worldwide: true },
        album: 1,
      },
    ])
  },

  async bulk({ em, unit, random }) {
    const rows = Array.from({ length: 50 }, (_, index) => toRelease(unit * 50 + index, random))
    await em.insertMany(Release, rows)
    return rows.length
  },
} satisfies Seed

const formats = [
  { medium: 'vinyl', rpm: 33, coloured: false },
  { medium: 'cd', discs: 1 },
  { medium: 'digital', codec: 'FLAC', bitrateKbps: 1411 },
]

function toRelease(row: number, random: BulkContext['random']) {
  const draw = random(row)
  const isThing = draw.share(50, 'packaging')
  return {
    id: 1001 + row,
    catalogNumber: `REL ${1001 + row}`,
    format: draw.share(10, 'format') ? null : draw.pick(formats),
    packaging: isThing ? { material: draw.pick(['cardboard', 'plastic']), gatefold: draw.share(30, 'gatefold') } : null,
    availability: draw.share(40, 'worldwide') ? { worldwide: true } : { regions: [draw.pick(['GB', 'US', 'JP'])] },
    dimensions: isThing ? { widthMm: 142, heightMm: 125, depthMm: 10 } : null,
    album: 1001 + row * 2,
  }
}
