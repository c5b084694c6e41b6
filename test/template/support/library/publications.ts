import { defineEntity, p } from '@mikro-orm/core'
import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'

// Single-table inheritance: magazines and leaflets extend publications, weeklies extend magazines.

const publicationSchema = defineEntity({
  name: 'Publication',
  tableName: 'publications',
  discriminatorColumn: 'kind',
  discriminatorValue: 'publication',
  properties: { id: p.integer().primary(), kind: p.text(), name: p.text() },
})
export class Publication extends publicationSchema.class {}
publicationSchema.setClass(Publication)

const magazineSchema = defineEntity({
  name: 'Magazine',
  extends: Publication,
  discriminatorValue: 'magazine',
  properties: { issue: p.integer().nullable(), withdrawnAt: p.datetime(3).nullable() },
})
export class Magazine extends magazineSchema.class {}
magazineSchema.setClass(Magazine)

const weeklySchema = defineEntity({ name: 'Weekly', extends: Magazine, discriminatorValue: 'weekly', properties: {} })
export class Weekly extends weeklySchema.class {}
weeklySchema.setClass(Weekly)

const leafletSchema = defineEntity({
  name: 'Leaflet',
  extends: Publication,
  discriminatorValue: 'leaflet',
  properties: {},
})
export class Leaflet extends leafletSchema.class {}
leafletSchema.setClass(Leaflet)

const publications = defineResource(Publication, {
  type: 'publications',
  fields: ({ id, string }) => [id(), string('name')],
})

const magazines = defineResource(Magazine, {
  type: 'magazines',
  fields: ({ id, string, integer }) => [id(), string('name'), integer('issue').nullable()],
})

export const publicationResources: readonly DeclaredResource[] = [publications, magazines].map((resource) => ({
  file: 'test/template/support/library/publications.ts',
  resource,
}))
