import type { OutgoingHttpHeaders } from 'node:http'
import type { App, Exchange, RequestTransaction } from '#kernel/plugin'
import { authorizeReplay } from './authorize-replay.ts'
import { idempotencyKeyInUse, idempotencyKeyReused, idempotentResponseTooLarge, keySource } from './errors.ts'
import type { RequestKey } from './key.ts'
import { claimKey, findResponse, insertResponse, updateResponse } from './key-table.ts'
import { readSettings, type Settings } from './settings.ts'
import { captureResponse, measureResponse, type StoredResponse, storedErrors, toReplay } from './stored-response.ts'

/** One request with an idempotency key. */
export class Attempt {
  readonly key: RequestKey
  readonly #app: App
  readonly #settings: Settings
  /** The headers before the operations. */
  readonly #headers: OutgoingHttpHeaders
  /** Whether the key is locked and had no response: the response of this request is stored. */
  #isFirst = false
  #isInserted = false
  #response: StoredResponse | null = null
  #localIds: StoredResponse['localIds'] = null

  constructor(app: App, key: RequestKey, headers: OutgoingHttpHeaders) {
    this.key = key
    this.#app = app
    this.#settings = readSettings(app)
    this.#headers = headers
  }

  /**
   * Locks the key. Returns the response to a repeated request; undefined for the first request with the key, whose
   * response is stored in the transaction of the write.
   */
  async claim(transaction: RequestTransaction) {
    const { unit } = transaction
    this.#isFirst = false
    const { found, isLocked } = await claimKey(unit.run.bind(unit), this.key, this.#settings.retention)
    if (found) {
      if (found.fingerprint !== this.key.fingerprint) throw idempotencyKeyReused({}, { source: keySource })
      await authorizeReplay(transaction, found.response)
      return toReplay(found.response)
    }
    if (!isLocked) throw idempotencyKeyInUse({}, { source: keySource })
    this.#isFirst = true
    transaction.beforeCommit((respond) => this.#store(transaction, respond))
    return undefined
  }

  /** Throws if the response is too large, or if another process was faster. */
  async #store({ createdIds, request, unit }: RequestTransaction, respond: () => Promise<void>): Promise<void> {
    await respond()
    this.#localIds = createdIds.size > 0 ? Object.fromEntries(createdIds) : null
    const response = this.capture(request)
    const { responseBytes: limit, retention } = this.#settings
    const bytes = measureResponse(response)
    if (bytes > limit) throw idempotentResponseTooLarge({ bytes, limit }, { source: keySource })
    this.#isInserted = await insertResponse(unit.run.bind(unit), this.key, response, retention)
    if (this.#isInserted) return
    this.#isFirst = false
    throw idempotencyKeyInUse({}, { source: keySource })
  }

  /** Takes the response that is written to `ctx`, before a middleware compresses it. */
  capture({ ctx }: Pick<Exchange, 'ctx'>): StoredResponse {
    this.#response = { ...captureResponse(ctx, this.#headers), localIds: this.#localIds }
    return this.#response
  }

  /** Stores an error, or the response of a hook that ran after the commit. */
  async finish({ ctx, early }: Exchange): Promise<void> {
    const response = this.#response
    if (!this.#isFirst || early || response?.status !== ctx.status) return
    const isError = storedErrors.has(response.status)
    if ((response.status >= 400 && !isError) || measureResponse(response) > this.#settings.responseBytes) return
    if (this.#isInserted && (await updateResponse(this.#app, this.key, response))) return
    if (isError) await this.#storeError(ctx, response)
  }

  /** If another process was faster, its response is sent: the write of this request was rolled back. */
  async #storeError(ctx: Exchange['ctx'], response: StoredResponse): Promise<void> {
    const { retention } = this.#settings
    if (await insertResponse(this.#app.store.query, this.key, response, retention)) return
    const found = await findResponse(this.#app, this.key, retention)
    if (found?.fingerprint !== this.key.fingerprint) return
    const { status, headers, body } = toReplay(found.response)
    for (const name of ctx.res.getHeaderNames()) if (!(name in this.#headers)) ctx.remove(name)
    ctx.body = body
    ctx.status = status
    ctx.set({ ...headers })
  }
}
