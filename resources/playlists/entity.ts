import { defineEntity, type EntityName, p } from '@mikro-orm/core'
import { Track } from '#resources/tracks/entity.ts'
import { User } from '#resources/users/entity.ts'

const schema = defineEntity({
  name: 'Playlist',
  tableName: 'playlists',
  properties: {
    id: p.uuid().primary(),
    title: p.text(),
    slug: p.text(),
    public: p.boolean().default(false),
    externalId: p.uuid().nullable(),
    deletedAt: p.datetime(3).nullable(),
    owner: () => p.manyToOne(User).ref().nullable().index().deleteRule('no action'),
    tracks: () =>
      p
        .manyToMany(Track)
        .owner()
        .pivotEntity((): EntityName => PlaylistTrack),
    orderedTracks: () =>
      p
        .manyToMany(Track)
        .owner()
        .pivotEntity((): EntityName => PlaylistEntry),
  },
})

export class Playlist extends schema.class {}

schema.setClass(Playlist)

/** A member of `tracks`. */
const memberSchema = defineEntity({
  name: 'PlaylistTrack',
  tableName: 'playlist_tracks',
  properties: {
    playlist: () => p.manyToOne(Playlist).ref().primary().deleteRule('cascade'),
    track: () => p.manyToOne(Track).ref().primary().index().deleteRule('cascade'),
  },
})

export class PlaylistTrack extends memberSchema.class {}

memberSchema.setClass(PlaylistTrack)

/** A member of `orderedTracks`, with its position. */
const entrySchema = defineEntity({
  name: 'PlaylistEntry',
  tableName: 'playlist_entries',
  uniques: [{ properties: ['playlist', 'track'] }],
  properties: {
    id: p.integer().primary(),
    playlist: () => p.manyToOne(Playlist).ref().deleteRule('cascade'),
    track: () => p.manyToOne(Track).ref().index().deleteRule('cascade'),
    position: p.integer(),
    weight: p.integer().default(100),
    addedAt: p.datetime(3).defaultRaw('now()'),
  },
})

export class PlaylistEntry extends entrySchema.class {}

entrySchema.setClass(PlaylistEntry)
