import { defineEntity, p } from '@mikro-orm/core'
import { Album } from '#resources/albums/entity.ts'
import { Artist } from '#resources/artists/entity.ts'
import { Track } from '#resources/tracks/entity.ts'
import { User } from '#resources/users/entity.ts'

const schema = defineEntity({
  name: 'Favorite',
  tableName: 'favorites',
  properties: {
    id: p.integer().primary(),
    favoritedAt: p.datetime(3).defaultRaw('now()'),
    user: () => p.manyToOne(User).ref().nullable().index().deleteRule('no action'),
    favoritable: () => p.manyToOne([Track, Album, Artist]).ref().nullable().index(),
  },
})

export class Favorite extends schema.class {}

schema.setClass(Favorite)
