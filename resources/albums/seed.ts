import type { BulkContext, Seed } from '#store'
import { Album, albumStatuses } from './entity.ts'

export default {
  after: ['artists'],

  async run({ em }) {
    await em.insertMany(Album, [
      {
        id: 1,
        title: 'OK Computer',
        averageRating: 9.8,
        releasedAt: new Date('1997-05-21T00:00:00Z'),
        availableFrom: '1997-05-21',
        availableUntil: '2030-12-31',
        label: 'Parlophone',
        catalogueNumber: 'NODATA 01',
        artist: 1,
      },
      {
        id: 2,
        title: 'Dummy',
        averageRating: 9.1,
        releasedAt: new Date('1994-08-22T00:00:00Z'),
        availableFrom: '1994-08-22',
        availableUntil: '2031-01-01',
        label: 'Go! Beat',
        catalogueNumber: 'NODATA 02',
        artist: 2,
      },
      { id: 3, title: 'Unreleased Sessions', status: 'upcoming', published: false, artist: 1 },
    ])
  },

  async bulk({ em, unit, random }) {
    const rows = Array.from({ length: 100 }, (_, index) => toAlbum(unit * 100 + index, random))
    await em.insertMany(Album, rows)
    return rows.length
  },
} satisfies Seed

const titles = ['Blue Hour', 'Homecoming', 'Night Drive', 'Static', 'The Long Way', 'Tides', 'Undertow', 'Winter Songs']
const oddTitles = ['Ágætis sumar', '夜のうた', '100% Live', 'side_a']

function toAlbum(row: number, random: BulkContext['random']) {
  const draw = random(row)
  const year = draw.integer(2000, 2019)
  const month = draw.pick(['03', '06', '09', '12'])
  const label = draw.share(40, 'label') ? draw.pick(['Harbour', 'Lantern', 'Northlight']) : null
  return {
    id: 1001 + row,
    title: draw.share(1, 'title') ? draw.pick(oddTitles) : draw.pick(titles),
    averageRating: draw.share(10, 'rating') ? null : draw.integer(100, 1000) / 100,
    artwork: draw.share(50, 'artwork') ? `https://images.example/albums/${1001 + row}.jpg` : null,
    releasedAt: draw.share(5, 'release') ? null : new Date(`${year}-${month}-01T00:00:00Z`),
    explicit: draw.share(10, 'explicit'),
    status: draw.share(90, 'status') ? ('released' as const) : draw.pick(albumStatuses),
    availableFrom: `${year}-${month}-01`,
    availableUntil: draw.share(50, 'until') ? `${year + 20}-${month}-01` : null,
    label,
    catalogueNumber: label && `CAT ${1001 + row}`,
    published: !draw.share(2, 'unpublished'),
    artist: 1001 + Math.floor(row / 5),
  }
}
