import { defineEntity, p } from '@mikro-orm/core'
import { Room } from '../rooms/entity.ts'

const schema = defineEntity({
  name: 'Booking',
  tableName: 'bookings',
  indexes: [{ properties: ['room', 'startsOn'] }],
  properties: {
    id: p.integer().primary(),
    startsOn: p.date(),
    endsOn: p.date(),
    discount: p.integer().default(0),
    discountReason: p.string().length(200).nullable(),
    room: () => p.manyToOne(Room).ref(),
  },
})

export class Booking extends schema.class {}

schema.setClass(Booking)
