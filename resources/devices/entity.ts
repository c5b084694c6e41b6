import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Device',
  tableName: 'devices',
  properties: {
    id: p.string().length(26).primary(),
    label: p.text(),
  },
})

export class Device extends schema.class {}

schema.setClass(Device)
