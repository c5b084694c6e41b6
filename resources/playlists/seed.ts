import type { BulkContext, Seed } from '#store'
import { Playlist, PlaylistEntry, PlaylistTrack } from './entity.ts'

const morning = '00000000-0000-4000-8000-000000000001'

export default {
  after: ['users', 'tracks'],

  async run({ em }) {
    await em.insert(Playlist, {
      id: morning,
      title: 'Morning Mix',
      slug: 'morning-mix',
      public: true,
      externalId: '11111111-1111-4111-8111-111111111111',
      owner: 1,
    })
    await em.insertMany(PlaylistTrack, [
      { playlist: morning, track: 1 },
      { playlist: morning, track: 2 },
    ])
    await em.insertMany(PlaylistEntry, [
      { id: 1, playlist: morning, track: 1, position: 2, addedAt: new Date('2024-04-02T09:00:00Z') },
      { id: 2, playlist: morning, track: 3, position: 1, addedAt: new Date('2024-04-01T09:00:00Z') },
      { id: 3, playlist: morning, track: 2, position: 3, addedAt: new Date('2024-04-03T09:00:00Z') },
    ])
  },

  async bulk({ em, unit, random }) {
    const rows = Array.from({ length: 50 }, (_, index) => toPlaylist(unit * 50 + index, unit, random))
    await em.insertMany(
      Playlist,
      rows.map(({ playlist }) => playlist),
    )
    await em.insertMany(
      PlaylistTrack,
      rows.flatMap(({ members }) => members),
    )
    await em.insertMany(
      PlaylistEntry,
      rows.flatMap(({ entries }) => entries),
    )
    return rows.length
  },
} satisfies Seed

const size = 20
const moods = ['Evening', 'Focus', 'Running', 'Sunday', 'Rainy Day', 'Road Trip']
const kinds = ['Mix', 'Favourites', 'Tape', 'Session']

function toPlaylist(row: number, unit: number, random: BulkContext['random']) {
  const draw = random(row)
  const id = uuid(1001 + row)
  const title = `${draw.pick(moods)} ${draw.pick(kinds)}`
  const playlist = {
    id,
    title,
    slug: title.toLowerCase().replaceAll(' ', '-'),
    public: draw.share(60, 'public'),
    externalId: draw.share(50, 'external') ? uuid(500_000_001 + row) : null,
    owner: 1001 + Math.floor(row / 5),
  }
  const tracks = chooseTracks(unit, draw.integer(0, 999))
  const others = chooseTracks(unit, draw.integer(0, 999))
  const members = tracks.map((track) => ({ playlist: id, track }))
  const entries = others.map((track, index) => ({
    id: 1001 + row * size + index,
    playlist: id,
    track,
    position: ((index * 7) % size) + 1,
    weight: draw.integer(size, 100),
    addedAt: new Date(Date.UTC(2024, draw.integer(0, 11), index + 1)),
  }))
  return { playlist, members, entries }
}

function uuid(counter: number): string {
  return `00000000-0000-4000-8000-${String(counter).padStart(12, '0')}`
}

/** Distinct tracks of the unit: the step is coprime with their number. */
function chooseTracks(unit: number, start: number): number[] {
  return Array.from({ length: size }, (_, index) => 1001 + unit * 1000 + ((start + index * 37) % 1000))
}
