import { defineEntity, p } from '@mikro-orm/core'
import { Album } from '#resources/albums/entity.ts'

type Json = Record<string, unknown>

const schema = defineEntity({
  name: 'Release',
  tableName: 'releases',
  indexes: [{ properties: ['catalogNumber', 'id'] }],
  properties: {
    id: p.integer().primary(),
    catalogNumber: p.string().length(40),
    format: p.json<Json>().nullable(),
    packaging: p.json<Json>().nullable(),
    availability: p.json<Json>().nullable(),
    dimensions: p.json<Json>().nullable(),
    album: () => p.manyToOne(Album).ref().nullable().index().deleteRule('no action'),
  },
})

export class Release extends schema.class {}

schema.setClass(Release)
