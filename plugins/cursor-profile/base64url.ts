/** Tokens are short: no bytes are set aside for each of them. */
const scratch = Buffer.allocUnsafe(8192)

export function toBase64url(text: string): string {
  if (text.length * 3 > scratch.length) return Buffer.from(text).toString('base64url')
  return scratch.toString('base64url', 0, scratch.write(text))
}

/** Of a text that is not longer than the bytes that are set aside. */
export function fromBase64url(text: string): string {
  return scratch.toString('utf8', 0, scratch.write(text, 'base64url'))
}

export const maxLength = scratch.length
