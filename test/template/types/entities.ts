import { defineEntity, p } from '@mikro-orm/core'

// Entities for declarations that are compiled and never run.

const songSchema = defineEntity({
  name: 'Song',
  properties: {
    id: p.integer().primary(),
    title: p.text(),
    subtitle: p.text().nullable(),
    code: p.uuid(),
    plays: p.integer(),
    price: p.decimal('number').precision(6).scale(2),
    live: p.boolean(),
    recordedAt: p.datetime(3).nullable(),
    recordedOn: p.date(),
    startsAt: p.time(),
    genres: p.array(),
    extras: p.json<{ note?: string }>(),
    band: () => p.manyToOne(Band).ref(),
    unreferenced: () => p.manyToOne(Band),
    sleeve: () => p.oneToOne(Sleeve).mappedBy('song').ref(),
    links: () => p.oneToMany(Link).mappedBy('song'),
    bands: () => p.manyToMany(Band).owner(),
  },
})
export class Song extends songSchema.class {
  shout(): string {
    return this.title.toUpperCase()
  }
}
songSchema.setClass(Song)

const bandSchema = defineEntity({ name: 'Band', properties: { id: p.uuid().primary(), name: p.text() } })
export class Band extends bandSchema.class {}
bandSchema.setClass(Band)

const sizeSchema = defineEntity({
  name: 'Size',
  embeddable: true,
  properties: { width: p.integer(), unit: p.text().nullable() },
})
class Size extends sizeSchema.class {}
sizeSchema.setClass(Size)

const sleeveSchema = defineEntity({
  name: 'Sleeve',
  properties: {
    id: p.integer().primary(),
    colour: p.text(),
    size: () => p.embedded(Size),
    area: p.integer().formula('1'),
    finish: p.enum(['matt', 'gloss']).default('matt'),
    paper: p.enum(['thin', 'thick']).nullable(),
    song: () => p.oneToOne(Song).ref().owner(),
  },
})
export class Sleeve extends sleeveSchema.class {}
sleeveSchema.setClass(Sleeve)

const membershipSchema = defineEntity({
  name: 'Membership',
  properties: {
    song: () => p.manyToOne(Song).ref().primary(),
    band: () => p.manyToOne(Band).ref().primary(),
    position: p.integer(),
  },
})
export class Membership extends membershipSchema.class {}
membershipSchema.setClass(Membership)

const linkSchema = defineEntity({
  name: 'Link',
  properties: {
    id: p.integer().primary(),
    song: () => p.manyToOne(Song).ref(),
    member: () => p.manyToOne([Band, Sleeve]).ref(),
  },
})
export class Link extends linkSchema.class {}
linkSchema.setClass(Link)
