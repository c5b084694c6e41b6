import { defineEntity, p } from '@mikro-orm/core'
import { slugify } from '#app/slugify.ts'
import { Album } from '#resources/albums/entity.ts'

const schema = defineEntity({
  name: 'Artist',
  tableName: 'artists',
  indexes: [
    { properties: ['slug'], type: 'hash' },
    { properties: ['name', 'id'] },
    { properties: ['createdAt', 'id'] },
  ],
  properties: {
    id: p.integer().primary(),
    name: p.string().length(120),
    slug: p.text().onCreate((artist: { name?: string }) => slugify(artist.name ?? '')),
    website: p.text().nullable(),
    bio: p.string().length(1000).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    albums: () => p.oneToMany(Album).mappedBy('artist'),
  },
})

export class Artist extends schema.class {}

schema.setClass(Artist)
