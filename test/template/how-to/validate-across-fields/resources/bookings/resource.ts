import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Booking } from './entity.ts'
import { checkBooking, roomOccupied } from './rules.ts'

export default defineResource(Booking, {
  type: 'bookings',
  fields: ({ id, date, integer, string, belongsTo }) => [
    id(),
    date('startsOn').required(),
    date('endsOn').required().compareWith('startsOn', 'GreaterThan'),
    integer('discount').min(0).max(50),
    string('discountReason').nullable().maxLength(200),
    belongsTo('room', 'rooms').required().withoutRelationshipEndpoint(),
  ],
  beforeSave: checkBooking,
  errors: [roomOccupied],
  policy: open,
})
