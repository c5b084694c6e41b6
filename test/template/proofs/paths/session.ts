import type { FuzzRequest, FuzzResponse } from '#test/template/proofs/fuzz/send.ts'

/** A run of one sequence on one path: its generated values, so that requests refer to them and responses are compared. */
export class Session {
  readonly #number = ++sessions
  readonly #startedAt = Date.now() - clockSkew
  readonly #created = new Map<string, string>()
  readonly #etags = new Map<string, string>()
  readonly #uuids: Set<string>

  /** `rows` are the rows of all tables before the first request. */
  constructor(rows: readonly string[]) {
    this.#uuids = new Set(rows.flatMap(uuidsIn))
  }

  /** Replaces the names of generated values by the values of this session. */
  resolve({ method, path, headers, body }: FuzzRequest): FuzzRequest {
    const resolved = { ...headers }
    for (const uuid of uuidsIn(`${path} ${body}`)) this.#uuids.add(uuid)
    for (const name of conditions) if (headers[name] === currentEtag) resolved[name] = this.#etags.get(path) ?? '"none"'
    if (headers[keyHeader]) resolved[keyHeader] = `${process.pid}-${this.#number}-${headers[keyHeader]}`
    return { method, path: this.#fill(path), headers: resolved, body: body === null ? null : this.#fill(String(body)) }
  }

  /** Returns the comparable text of a response: without generated ids, times, entity tags and the address. */
  read({ path }: FuzzRequest, { status, headers, text }: FuzzResponse, url: string): string {
    if (headers.etag) this.#etags.set(path, headers.etag)
    for (const [type, id] of createdIn(status, text)) this.#name(type, id)
    const lines = Object.entries(headers)
      .filter(([name]) => !ignoredHeaders.test(name))
      .map(([name, value]) => `${name}: ${name === 'etag' ? '(tag)' : value}`)
    return this.withoutGenerated([status, ...lines.sort(), '', text].join('\n').replaceAll(url, ''))
  }

  withoutGenerated(text: string): string {
    let plain = text
      .replace(/\beyJ[\w-]+/g, decodeCursor)
      .replace(errorIds, '')
      .replace(passwordHashes, '(hash)')
    plain = plain.replaceAll(byteOrderMark, '')
    for (const [name, id] of this.#created) plain = plain.replaceAll(id, name)
    plain = plain.replace(uuids, (uuid) => (this.#uuids.has(uuid) ? uuid : '(random)'))
    return plain.replace(timestamps, (moment) => (this.#isNow(moment) ? '(now)' : moment))
  }

  #fill(text: string): string {
    return text.replace(createdNames, (name) => this.#created.get(name) ?? name)
  }

  /** Names an id in the order of creation; short ids are numbers from a sequence, which are equal on all paths. */
  #name(type: string, id: string): void {
    if (id.length < shortestRandomId || [...this.#created.values()].includes(id)) return
    const count = [...this.#created.keys()].filter((name) => name.startsWith(`created.${type}.`)).length
    this.#created.set(createdId(type, count), id)
  }

  #isNow(moment: string): boolean {
    const time = Date.parse(moment)
    return time >= this.#startedAt && time <= Date.now() + clockSkew
  }
}

let sessions = 0
const clockSkew = 2_000
const shortestRandomId = 20

/** Stands for the entity tag that the path was last read with. */
export const currentEtag = '(current)'
export const conditions = ['if-match', 'if-none-match'] as const
export const keyHeader = 'idempotency-key'

/** Stands for the id of a row that the sequence creates. */
export function createdId(type: string, index: number): string {
  return `created.${type}.${index}`
}

const createdNames = /\bcreated\.[\w-]+\.\d+/g

/** Headers of a single response, of the connection, or of the state of the process. */
const ignoredHeaders = /^(date|x-request-id|connection|keep-alive|content-length|ratelimit.*|server-timing)$/
const errorIds = /"id":"[\da-f.-]{36,}",(?="(links|status)")/g
const passwordHashes = /\bscrypt\$[^"]+/g
const timestamps = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d(:?\d\d)?)?/g

/** PGlite reads texts with a TextDecoder that removes a byte order mark at their start. */
const byteOrderMark = '\ufeff'
const uuids = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g

function uuidsIn(text: string): string[] {
  return text.match(uuids) ?? []
}

function decodeCursor(token: string): string {
  return Buffer.from(token, 'base64url').toString()
}

/** The types and ids of resources that a POST or a batch has created. */
function createdIn(status: number, text: string): [type: string, id: string][] {
  if (!text.startsWith('{')) return []
  const { data, 'atomic:results': results = [] } = JSON.parse(text)
  const created = [status === 201 && data, ...results.map((result: { data?: unknown }) => result?.data)].flat()
  return created.flatMap((resource) => (resource?.id ? [[resource.type, resource.id]] : []))
}
