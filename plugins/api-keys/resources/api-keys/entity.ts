import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    id: p.uuid().primary(),
    name: p.string().length(120),
    start: p.string().length(12),
    /** Lazy, so that no read selects it. */
    hash: p.string().length(64).lazy().unique(),
    scopes: p.array(),
    createdAt: p
      .datetime(3)
      .defaultRaw('now()')
      .onCreate(() => new Date()),
    expiresAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
  },
})

export class ApiKey extends schema.class {}

schema.setClass(ApiKey)
