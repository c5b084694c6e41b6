import type { BulkContext, Seed } from '#store'
import { Track } from './entity.ts'

export default {
  after: ['albums'],

  async run({ em }) {
    await em.insertMany(Track, [
      {
        id: 1,
        title: 'Airbag',
        trackNumber: 1,
        lengthSeconds: 284,
        genres: ['rock', 'alternative'],
        previewOffset: '00:00:30',
        album: 1,
      },
      {
        id: 2,
        title: 'Paranoid Android',
        trackNumber: 2,
        lengthSeconds: 383,
        explicit: true,
        genres: ['rock', 'progressive'],
        previewOffset: '00:01:00',
        album: 1,
      },
      { id: 3, title: 'Exit Music (For a Film)', trackNumber: 3, lengthSeconds: 264, genres: ['rock'], album: 1 },
      {
        id: 4,
        title: 'Mysterons',
        trackNumber: 1,
        lengthSeconds: 305,
        genres: ['trip-hop'],
        previewOffset: '00:00:45',
        album: 2,
      },
    ])
  },

  async demo({ em }) {
    const rows = Object.entries(demoTracks).flatMap(([album, tracks]) =>
      tracks.map(([title, lengthSeconds], index) => ({
        title,
        trackNumber: index + 1,
        lengthSeconds,
        album: Number(album),
      })),
    )
    await em.insertMany(
      Track,
      rows.map((row, index) => ({ id: 5 + index, ...row })),
    )
  },

  async bulk({ em, unit, random }) {
    const rows = Array.from({ length: 1000 }, (_, index) => toTrack(unit * 1000 + index, random))
    await em.insertMany(Track, rows)
    return rows.length
  },
} satisfies Seed

/** The titles of tracks and their lengths in seconds, by the id of the album. */
const demoTracks: Readonly<Record<number, readonly (readonly [title: string, seconds: number])[]>> = {
  4: [
    ['Everything in Its Right Place', 251],
    ['Kid A', 284],
    ['The National Anthem', 351],
  ],
  5: [
    ['15 Step', 237],
    ['Bodysnatchers', 242],
    ['Nude', 255],
  ],
  6: [
    ['Silence', 298],
    ['Hunter', 237],
  ],
  14: [
    ['One More Time', 320],
    ['Aerodynamic', 212],
    ['Digital Love', 301],
  ],
  18: [
    ['Blackstar', 597],
    ["'Tis a Pity She Was a Whore", 292],
    ['Lazarus', 382],
  ],
  21: [
    ['All I Want', 212],
    ['My Old Man', 213],
    ['Carey', 182],
  ],
  23: [
    ['Running Up That Hill', 298],
    ['Hounds of Love', 182],
  ],
  26: [
    ['Angel', 378],
    ['Risingson', 298],
    ['Teardrop', 330],
  ],
  27: [
    ['So What', 562],
    ['Freddie Freeloader', 586],
    ['Blue in Green', 337],
  ],
}

const moods = ['Slow', 'Burning', 'Hidden', 'Last', 'Bright', 'Hollow', 'Open', 'Lost', 'Early', 'Second']
const things = ['Light', 'Road', 'Signal', 'Dance', 'Letter', 'Season', 'Mirror', 'Garden', 'Flight', 'Echo']
const oddTitles = ['Für später', 'Ночь', '50% Off', 'under_score']
const genres = ['rock', 'pop', 'jazz', 'electronic', 'folk', 'trip-hop', 'ambient']

function toTrack(row: number, random: BulkContext['random']) {
  const draw = random(row)
  const seconds = String(draw.integer(0, 59)).padStart(2, '0')
  return {
    id: 1001 + row,
    title: draw.share(1, 'title') ? draw.pick(oddTitles) : `${draw.pick(moods)} ${draw.pick(things)}`,
    trackNumber: (row % 10) + 1,
    lengthSeconds: draw.integer(90, 480),
    explicit: draw.share(10, 'explicit'),
    genres: [...new Set([draw.pick(genres), draw.pick(genres)])],
    previewOffset: draw.share(20, 'preview') ? null : `00:00:${seconds}`,
    album: 1001 + Math.floor(row / 10),
  }
}
