import type { WireId } from '#kernel'

/** Key 26 is `prod-1a`: hex in lower case, without leading zeros. */
export const productCodec: WireId = {
  encode: (key: number) => `prod-${key.toString(16)}`,
  decode: (wire) => (/^prod-[1-9a-f][0-9a-f]{0,7}$/.test(wire) ? Number.parseInt(wire.slice(5), 16) : null),
}
