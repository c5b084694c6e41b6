import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Event',
  tableName: 'events',
  properties: {
    id: p.string().length(26).primary(),
    title: p.string().length(200),
  },
})

export class Event extends schema.class {}

schema.setClass(Event)
