import { defineEntity, p } from '@mikro-orm/core'
import { Library } from '#resources/libraries/entity.ts'
import { Playlist } from '#resources/playlists/entity.ts'

const schema = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.integer().primary(),
    email: p.string().length(254).unique(),
    displayName: p.text(),
    birthDate: p.date().nullable(),
    preferences: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    lastSeenIp: p.string().length(45).nullable(),
    /** Lazy, so that no read selects it. */
    passwordHash: p.text().lazy().nullable(),
    playlists: () => p.oneToMany(Playlist).mappedBy('owner'),
    library: () => p.oneToOne(Library).mappedBy('owner').ref().nullable(),
  },
})

export class User extends schema.class {}

schema.setClass(User)
