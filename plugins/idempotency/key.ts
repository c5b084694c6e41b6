import { createHash } from 'node:crypto'
import { type ApiRequest, isObject, type Principal } from '#kernel/plugin'
import { idempotencyKeyInvalid, keySource } from './errors.ts'

export interface RequestKey {
  /** Identifies the key within its scope: principal with its roles, server, method and path. */
  readonly id: string
  /** Identifies the principal. */
  readonly principal: string
  /** Identifies the request: body, query string and the result of content negotiation. */
  readonly fingerprint: string
}

/** Reads the header. Throws IDEMPOTENCY_KEY_INVALID if it is not a key. */
export function readKey(header: string, request: ApiRequest): RequestKey {
  const { ctx, server, media, url } = request
  const principal: Principal | null = ctx.state.principal ?? null
  const roles = principal && [...new Set(principal.roles)].sort()
  const scope = [principal?.identifier, roles, server.name, ctx.method, ctx.path, parseKey(header)]
  const negotiated = [url.search, media.extension, [...media.profiles]]
  return {
    id: digest(JSON.stringify(scope)),
    principal: digest(JSON.stringify([principal?.identifier])),
    fingerprint: digest(JSON.stringify(negotiated), ...readBodyParts(request)),
  }
}

const visible = /^[!-~]{1,255}$/
/** A string of RFC 9651: quotes and backslashes are escaped. */
const quoted = /^"((?:[^"\\]|\\["\\])*)"$/

/** Returns the key of a bare or quoted header, so that both forms are the same key. */
function parseKey(header: string): string {
  const key = header.startsWith('"') ? quoted.exec(header)?.[1]?.replace(/\\(.)/g, '$1') : header
  if (key === undefined || !visible.test(key)) throw idempotencyKeyInvalid({}, { source: keySource })
  return key
}

/** The text of the body; its members if a middleware of the program has parsed it or a route has read its bytes. */
function readBodyParts({ ctx, body }: ApiRequest): readonly (string | Uint8Array)[] {
  const { rawBody } = ctx.request
  if (typeof rawBody === 'string') return [rawBody]
  if (!isObject(body)) return [JSON.stringify(body) ?? '']
  return Object.entries(body).flatMap(([name, value]) => [
    name,
    value instanceof Uint8Array ? value : (JSON.stringify(value) ?? ''),
  ])
}

/** Each part follows its length, so that no two lists of parts have the same digest. */
function digest(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part)
  return hash.digest('base64url')
}

/** The number of the advisory lock of a key: the first 64 bits of its digest. */
export function buildLockName({ id }: RequestKey): string {
  return Buffer.from(id, 'base64url').readBigInt64BE().toString()
}
