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

  async demo({ em }) {
    const toRow = ([artist, title, released, label]: (typeof demoAlbums)[number], index: number) => ({
      id: 4 + index,
      title,
      releasedAt: new Date(`${released}T00:00:00Z`),
      availableFrom: released,
      label,
      artist,
    })
    await em.insertMany(Album, demoAlbums.map(toRow))
  },

  async bulk({ em, unit, random }) {
    const rows = Array.from({ length: 100 }, (_, index) => toAlbum(unit * 100 + index, random))
    await em.insertMany(Album, rows)
    return rows.length
  },
} satisfies Seed

/** The id of the artist, the title, the day of the release and the label. */
const demoAlbums: readonly (readonly [artist: number, title: string, released: string, label: string])[] = [
  [1, 'Kid A', '2000-10-02', 'Parlophone'],
  [1, 'In Rainbows', '2007-10-10', 'XL'],
  [2, 'Third', '2008-04-28', 'Island'],
  [3, 'Selected Ambient Works 85–92', '1992-11-09', 'Apollo'],
  [3, 'Syro', '2014-09-19', 'Warp'],
  [4, 'Lady Soul', '1968-01-22', 'Atlantic'],
  [4, 'Young, Gifted and Black', '1972-01-24', 'Atlantic'],
  [5, 'Music Has the Right to Children', '1998-04-20', 'Warp'],
  [5, 'Geogaddi', '2002-02-18', 'Warp'],
  [6, 'Homework', '1997-01-20', 'Virgin'],
  [6, 'Discovery', '2001-03-12', 'Virgin'],
  [6, 'Random Access Memories', '2013-05-17', 'Columbia'],
  [7, 'Hunky Dory', '1971-12-17', 'RCA'],
  [7, 'Low', '1977-01-14', 'RCA'],
  [7, 'Blackstar', '2016-01-08', 'ISO'],
  [8, 'Expensive Shit', '1975-09-01', 'Sound Workshop'],
  [8, 'Zombie', '1976-11-01', 'Coconut'],
  [9, 'Blue', '1971-06-22', 'Reprise'],
  [9, 'Hejira', '1976-11-22', 'Asylum'],
  [10, 'Hounds of Love', '1985-09-16', 'EMI'],
  [11, 'Trans-Europe Express', '1977-03-01', 'Kling Klang'],
  [11, 'The Man-Machine', '1978-05-19', 'Kling Klang'],
  [12, 'Mezzanine', '1998-04-20', 'Virgin'],
  [13, 'Kind of Blue', '1959-08-17', 'Columbia'],
  [13, 'In a Silent Way', '1969-07-30', 'Columbia'],
  [14, 'Pastel Blues', '1965-10-01', 'Philips'],
]

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
