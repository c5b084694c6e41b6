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

  async bulk({ em, unit, random }) {
    const rows = Array.from({ length: 1000 }, (_, index) => toTrack(unit * 1000 + index, random))
    await em.insertMany(Track, rows)
    return rows.length
  },
} satisfies Seed

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
