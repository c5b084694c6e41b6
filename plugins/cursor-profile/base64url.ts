/** Reused for every token, to avoid an allocation each. */
const scratch = Buffer.allocUnsafe(8192)

export function toBase64url(text: string): string {
  if (text.length * 3 > scratch.length) return Buffer.from(text).toString('base64url')
  return scratch.toString('base64url', 0, scratch.write(text))
}

/** Decodes a text of at most `maxLength` characters. */
export function fromBase64url(text: string): string {
  return scratch.toString('utf8', 0, scratch.write(text, 'base64url'))
}

export const maxLength = scratch.length
