import { createHash, randomBytes } from 'node:crypto'

/** The beginning of every API key, by which secret scanners and the authentication recognise it. */
export const keyPrefix = 'key_'

const form = /^key_[\w-]{43}$/

export interface NewKey {
  /** The key, which is not stored: 256 random bits. */
  readonly token: string
  /** Its first characters, to recognise it in a list. */
  readonly start: string
  readonly hash: string
}

export function createKey(): NewKey {
  const token = `${keyPrefix}${randomBytes(32).toString('base64url')}`
  return { token, start: token.slice(0, 12), hash: hashKey(token) }
}

export function isKey(token: string): boolean {
  return form.test(token)
}

/** SHA-256 without a salt: a random key of 256 bits cannot be guessed, and the hash finds its row. */
export function hashKey(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
