import { defineEntity, p } from '@mikro-orm/core'
import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'

// The release that runs before the migration. The explicit schema lets one ORM have the entities of both releases.

const schema = defineEntity({
  name: 'OldCustomer',
  tableName: 'customers',
  schema: 'public',
  properties: {
    id: p.integer().primary(),
    name: p.string().length(100),
    phone: p.string().length(30),
  },
})

export class OldCustomer extends schema.class {}

schema.setClass(OldCustomer)

export const oldCustomers = defineResource(OldCustomer, {
  type: 'customers',
  fields: ({ id, string }) => [
    id(),
    string('name').required().maxLength(100),
    string('phone').required().maxLength(30),
  ],
  policy: open,
})
