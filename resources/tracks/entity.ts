import { defineEntity, p } from '@mikro-orm/core'
import { Album } from '#resources/albums/entity.ts'
import { Playlist } from '#resources/playlists/entity.ts'

const schema = defineEntity({
  name: 'Track',
  tableName: 'tracks',
  indexes: [{ properties: ['trackNumber', 'id'] }, { properties: ['genres'], type: 'gin' }],
  properties: {
    id: p.integer().primary(),
    title: p.text(),
    trackNumber: p.integer().default(1),
    lengthSeconds: p.integer().default(0),
    explicit: p.boolean().default(false),
    genres: p.array().default(['unclassified']),
    previewOffset: p.time().nullable(),
    album: () => p.manyToOne(Album).ref().nullable().index().deleteRule('no action'),
    playlists: () => p.manyToMany(Playlist).mappedBy('tracks'),
  },
})

export class Track extends schema.class {}

schema.setClass(Track)
