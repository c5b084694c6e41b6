import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { createRandomSource } from '#test/conformance/random.ts'
import { add, addAs, atomicHeaders } from '#test/support/batch.ts'
import { type Client, type ClientResponse, createClient } from '#test/support/client.ts'
import { eventually } from '#test/support/eventually.ts'
import { startService } from '#test/template/support/catalogue-service.ts'
import { type LossyProxy, startLossyProxy } from './lossy-proxy.ts'
import { openPersistentDatabase } from './persistent-database.ts'
import type { Service } from './service.ts'

// Clients that repeat every request with the same idempotency key until it is answered, while the service is killed and a
// proxy loses a tenth of the responses.

const clientCount = 4

export interface KeyedRun {
  /** Requests that were answered. */
  readonly answered: number
  /** Responses that were lost, or stored ones that were sent. */
  readonly lost: number
  readonly replayed: number
  /** Repeated requests that would have undone a later write if they had run again. */
  readonly decided: number
}

/** Runs the clients until the service was killed this many times, and checks that every key had exactly one effect. */
export async function expectExactlyOnce(
  kills: number,
  seed: number,
  env: Record<string, string> = {},
): Promise<KeyedRun> {
  const random = createRandomSource(seed)
  const database = await openPersistentDatabase()
  let service: Service | undefined
  let proxy: LossyProxy | undefined
  try {
    service = await startService({ ...database.env, ...env })
    proxy = await startLossyProxy(service.client.url, () => random.below(10) === 0)
    const run = new Run(createClient(proxy.url, () => {}))
    const clients = Promise.all(Array.from({ length: clientCount }, (_, index) => run.writeUntilStopped(index)))
    clients.catch(() => run.abort())
    for (let kill = 1; kill <= kills && !run.isStopped; kill++) {
      await run.waitForAnswers(5 + random.below(15))
      await setTimeout(random.below(30))
      await service.kill()
      service = await startService({ ...database.env, ...env })
      proxy.target = service.client.url
    }
    const { counts } = run
    const losses = proxy
    await eventually(() => run.isStopped || (losses.lost > 0 && counts.replayed > 0)) // the proxy loses responses at random
    run.stop()
    await clients
    await run.expectEffects(service.client)
    return { ...run.counts, lost: proxy.lost }
  } finally {
    await proxy?.close()
    await service?.kill()
    await database.close()
  }
}

class Run {
  readonly counts = { answered: 0, replayed: 0, decided: 0 }
  isStopped = false
  readonly #client: Client
  readonly #titles: { readonly title: string; readonly tracks: number }[] = []
  readonly #checks: ((client: Client) => Promise<void>)[] = []
  #waiting: (() => void)[] = []
  #isAborted = false

  constructor(client: Client) {
    this.#client = client
  }

  stop(): void {
    this.isStopped = true
    for (const resume of this.#waiting.splice(0)) resume()
  }

  /** Ends the clients although their requests are not answered, because one of them has failed. */
  abort(): void {
    this.#isAborted = true
    this.stop()
  }

  async waitForAnswers(count: number): Promise<void> {
    const end = this.counts.answered + count
    while (this.counts.answered < end && !this.isStopped) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  /** Creates albums, changes and deletes them, alone and in batches. */
  async writeUntilStopped(client: number): Promise<void> {
    for (let round = 0; !this.isStopped; round++) {
      const name = `client ${client} round ${String(round).padStart(6, '0')}` // no name contains another one
      const album = await this.#create(`album of ${name}`)
      const track = await this.#createBatch(`batch of ${name}`)
      await this.#updateTwice(album, name)
      await this.#relateTwice(album, track)
      await this.#remove(name)
    }
  }

  async expectEffects(client: Client): Promise<void> {
    for (const { title, tracks } of this.#titles) {
      const { body, text } = await client.get(`/albums?include=tracks&filter[title]=${encodeURIComponent(title)}`)
      expect(body.data, `${title}: ${text.slice(0, 1_000)}`).to.have.length(1)
      expect(body.data[0].relationships.tracks.data, title).to.have.length(tracks)
    }
    for (const check of this.#checks) await check(client)
  }

  async #create(title: string): Promise<string> {
    const body = { data: { type: 'albums', attributes: { title } } }
    const response = await this.#send('POST', '/albums', body)
    expect(response.status, response.text).to.equal(201)
    return response.body.data.id
  }

  /** An album with two tracks. Returns the id of a third track without an album. */
  async #createBatch(title: string): Promise<string> {
    const relationships = { album: { type: 'albums', lid: 'album' } }
    const operations = [
      addAs('album', 'albums', { title }),
      add('tracks', { title: `${title} 1` }, relationships),
      add('tracks', { title: `${title} 2` }, relationships),
      add('tracks', { title: `${title} 3` }),
    ]
    const response = await this.#send('POST', '/operations', { 'atomic:operations': operations }, atomicHeaders)
    expect(response.status, response.text).to.equal(200)
    this.#titles.push({ title, tracks: 2 })
    return response.body['atomic:results'][3].data.id
  }

  /** If the first update is lost, a second one follows before it is repeated; the repetition must not undo it. */
  async #updateTwice(id: string, name: string): Promise<void> {
    const title = (version: string) => ({
      data: { type: 'albums', id, attributes: { title: `${version} of ${name}` } },
    })
    const isFirstLast = await this.#sendTwice(
      () => this.#attempt('PATCH', `/albums/${id}`, title('first')),
      () => this.#send('PATCH', `/albums/${id}`, title('second')),
    )
    if (isFirstLast === null) return
    this.#checks.push(async (client) => {
      const { body } = await client.get(`/albums/${id}`)
      expect(body.data.attributes.title).to.equal(`${isFirstLast ? 'first' : 'second'} of ${name}`)
    })
  }

  async #relateTwice(album: string, track: string): Promise<void> {
    const path = `/albums/${album}/relationships/tracks`
    const members = { data: [{ type: 'tracks', id: track }] }
    const isMember = await this.#sendTwice(
      () => this.#attempt('POST', path, members),
      () => this.#send('DELETE', path, members),
    )
    if (isMember === null) return
    this.#checks.push(async (client) => {
      const { body } = await client.get(path)
      expect(body.data, path).to.have.length(isMember ? 1 : 0)
    })
  }

  async #remove(name: string): Promise<void> {
    const id = await this.#create(`removed album of ${name}`)
    const response = await this.#send('DELETE', `/albums/${id}`, undefined)
    expect(response.status, response.text).to.equal(204)
    this.#checks.push(async (client) => {
      expect((await client.get(`/albums/${id}`)).status).to.equal(404)
    })
  }

  /**
   * Sends the first request; if its response is lost, the second request, then the first again. Returns whether the first
   * had its effect last; null if it was lost again, which leaves that open.
   */
  async #sendTwice(first: () => Attempt, second: () => Promise<ClientResponse>): Promise<boolean | null> {
    const attempt = first()
    const answer = await attempt.once()
    if (answer) return expectSuccess(answer)
    const { status, text } = await second()
    expect(status, text).to.be.below(300)
    const repeated = await attempt.once()
    if (!repeated) {
      expectSuccess(await attempt.untilAnswered())
      return null
    }
    expectSuccess(repeated)
    this.counts.decided++
    return !repeated.headers.has('idempotency-replayed')
  }

  #send(method: string, path: string, body: unknown, headers = {}): Promise<ClientResponse> {
    return this.#attempt(method, path, body, headers).untilAnswered()
  }

  /** A request with a key of its own. */
  #attempt(method: string, path: string, body: unknown, headers = {}): Attempt {
    const init = {
      headers: { ...headers, 'idempotency-key': crypto.randomUUID() },
      ...(body !== undefined && { body }),
    }
    const send = () => this.#client.send(method, path, init)
    const once = async (): Promise<ClientResponse | null> => {
      for (;;) {
        if (this.#isAborted) throw new Error('Another client has failed.')
        const response = await send().catch(ignoreLostConnection)
        if (!response) return null
        if (!isTemporary(response)) return this.#count(response)
        await setTimeout(10)
      }
    }
    const untilAnswered = async (): Promise<ClientResponse> => {
      for (;;) {
        const response = await once()
        if (response) return response
        await setTimeout(10)
      }
    }
    return { once, untilAnswered }
  }

  #count(response: ClientResponse): ClientResponse {
    this.counts.answered++
    if (response.headers.has('idempotency-replayed')) this.counts.replayed++
    for (const resume of this.#waiting.splice(0)) resume()
    return response
  }
}

interface Attempt {
  /** Sends the request until it is answered with anything but "try again"; null if the response is lost. */
  once(): Promise<ClientResponse | null>
  untilAnswered(): Promise<ClientResponse>
}

function expectSuccess({ status, text }: ClientResponse): true {
  expect(status, text).to.be.below(300)
  return true
}

function ignoreLostConnection(error: unknown): null {
  if (error instanceof TypeError && /fetch failed|terminated/.test(error.message)) return null
  throw error
}

/** Whether the service asks to repeat the request. */
function isTemporary({ status, body }: ClientResponse): boolean {
  return status === 503 || (status === 409 && body.errors[0].code === 'IDEMPOTENCY_KEY_IN_USE')
}
