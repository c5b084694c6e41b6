import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    id: p.integer().primary(),
    email: p.string().length(254).unique(),
    name: p.string().length(100),
    passwordHash: p.string().length(200),
    roles: p.json<string[]>(),
  },
})

export class Account extends schema.class {}

schema.setClass(Account)
