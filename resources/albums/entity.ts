import { defineEntity, p } from '@mikro-orm/core'
import { Artist } from '#resources/artists/entity.ts'
import { Track } from '#resources/tracks/entity.ts'

export const albumStatuses = ['upcoming', 'released', 'withdrawn'] as const

const schema = defineEntity({
  name: 'Album',
  tableName: 'albums',
  indexes: [
    { properties: ['releasedAt', 'id'] },
    { properties: ['title', 'id'] },
    { properties: ['status', 'id'] },
    { properties: ['averageRating'] },
  ],
  properties: {
    id: p.integer().primary(),
    title: p.string().length(200),
    averageRating: p.decimal('number').precision(4).scale(2).nullable(),
    artwork: p.text().nullable(),
    releasedAt: p.datetime(3).nullable(),
    explicit: p.boolean().default(false),
    status: p.enum(albumStatuses).default('released'),
    availableFrom: p.date().nullable(),
    availableUntil: p.date().nullable(),
    label: p.text().nullable(),
    catalogueNumber: p.text().nullable(),
    published: p.boolean().default(true),
    artist: () => p.manyToOne(Artist).ref().nullable().index().deleteRule('no action'),
    tracks: () => p.oneToMany(Track).mappedBy('album'),
  },
})

export class Album extends schema.class {}

schema.setClass(Album)
