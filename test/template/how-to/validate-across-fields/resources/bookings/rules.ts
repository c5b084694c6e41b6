import { defineError, validationFailed } from '#kernel'
import type { HookContext } from '#plugins/lifecycle/index.ts'
import type { Booking } from './entity.ts'

export const roomOccupied = defineError(
  'ROOM_OCCUPIED',
  409,
  'The room is occupied',
  'Another booking of the room overlaps {from} to {until}. Choose other days or another room.',
)

/** Rules about several fields: the entity has the stored values and the sent values. */
export async function checkBooking(booking: Booking, _creating: boolean, { context }: HookContext): Promise<void> {
  if (booking.discount > 0 && !booking.discountReason) {
    const message = "A value for 'discountReason' is required if 'discount' is greater than 0."
    throw validationFailed({ message }, { source: { pointer: '/data/attributes/discountReason' } })
  }
  const { startsOn: from, endsOn: until } = booking
  const room = booking.room.id
  // Locks the room: concurrent requests for the same room check one after the other.
  await context.unit.run('select 1 from rooms where id = $1 for update', [room])
  const overlaps = await context.unit.run(
    `select 1 from bookings where room_id = $1 and starts_on < $2 and ends_on > $3 and id is distinct from $4 limit 1`,
    [room, until, from, booking.id ?? null],
  )
  if (overlaps.length > 0) throw roomOccupied({ from, until }, { source: { pointer: '/data/attributes/startsOn' } })
}
