import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, string, number, ScryptOptions, Buffer>(scrypt)
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }

export async function hashPassword(password: string, salt = randomBytes(16).toString('base64')): Promise<string> {
  return `${salt}:${(await derive(password, salt, 32, cost)).toString('base64')}`
}

/** Takes the same time for an unknown account, so that the response does not reveal which addresses exist. */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [salt = ''] = (stored ?? 'unknown:').split(':')
  const [computed, expected] = [await hashPassword(password, salt), stored ?? ''].map((text) => Buffer.from(text))
  return computed?.length === expected?.length && timingSafeEqual(computed as Buffer, expected as Buffer)
}
