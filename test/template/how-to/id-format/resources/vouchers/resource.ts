import { defineResource, type WireId } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Voucher } from './entity.ts'

/** Key 26 is `v-1a` in URLs and documents. */
const voucherId: WireId = {
  encode: (key: number) => `v-${key.toString(16)}`,
  decode: (wire) => (/^v-[1-9a-f][0-9a-f]{0,6}$/.test(wire) ? Number.parseInt(wire.slice(2), 16) : null),
}

export default defineResource(Voucher, {
  type: 'vouchers',
  fields: ({ id, string }) => [id().encodeUsing(voucherId), string('title').required().maxLength(200)],
  policy: open,
})
