import { defineEntity, p } from '@mikro-orm/core'
import { Album } from '#resources/albums/entity.ts'
import { Artist } from '#resources/artists/entity.ts'
import { Track } from '#resources/tracks/entity.ts'
import { User } from '#resources/users/entity.ts'

const schema = defineEntity({
  name: 'Library',
  tableName: 'libraries',
  properties: {
    id: p.integer().primary(),
    owner: () => p.oneToOne(User).ref().owner().nullable().deleteRule('no action'),
    items: () => p.oneToMany(LibraryItem).mappedBy('library').orderBy({ position: 'asc' }),
  },
})

export class Library extends schema.class {}

schema.setClass(Library)

const itemSchema = defineEntity({
  name: 'LibraryItem',
  tableName: 'library_items',
  properties: {
    id: p.integer().primary(),
    library: () => p.manyToOne(Library).ref().index().deleteRule('cascade'),
    item: () => p.manyToOne([Track, Album, Artist]).ref().index(),
    position: p.integer(),
  },
})

export class LibraryItem extends itemSchema.class {}

itemSchema.setClass(LibraryItem)
