import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Room',
  tableName: 'rooms',
  properties: {
    id: p.integer().primary(),
    name: p.string().length(100),
  },
})

export class Room extends schema.class {}

schema.setClass(Room)
