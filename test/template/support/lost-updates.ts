import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { mediaType } from '#test/support/client.ts'

/** A race of clients that each read a number, add one and write it back. */
export interface Race {
  readonly url: string
  readonly clients: number
  /** The race ends after this many successful writes. */
  readonly successes: number
  /** Whether each write sends the ETag of its read in If-Match. */
  readonly isConditional: boolean
  /** Whether clients wait before they read, for a random time that refusals double and successes halve, up to a second. */
  readonly backsOff?: boolean
}

export interface RaceResult {
  readonly successes: number
  /** Writes that were answered with 412. */
  readonly refusals: number
  /** The stored number at the end; it was 0 before. */
  readonly count: number
}

const path = '/books/1'

/** Runs read-modify-write on `position` of book 1. Throws if a request has another status than 200 and 412. */
export async function raceForCounter(race: Race): Promise<RaceResult> {
  const { url, clients, successes: goal, isConditional, backsOff = false } = race
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const send = createSender(url, agent)
  await send('PATCH', createPatch(0))
  let successes = 0
  let refusals = 0
  const run = async () => {
    let doublings = 0
    while (successes < goal) {
      if (backsOff && doublings > 0) await setTimeout(Math.random() * 2 ** doublings)
      const { headers, body } = await send('GET')
      const condition = isConditional ? { 'if-match': headers.etag ?? '' } : {}
      const { status } = await send('PATCH', createPatch(countIn(body) + 1), condition)
      doublings = status === 412 ? Math.min(doublings + 1, 10) : Math.max(doublings - 1, 0)
      if (status === 200) successes++
      else if (status === 412) refusals++
      else throw new Error(`A write returned ${status}.`)
    }
  }
  await Promise.all(Array.from({ length: clients }, run))
  const count = countIn((await send('GET')).body)
  agent.destroy()
  return { successes, refusals, count }
}

function createPatch(position: number): string {
  return JSON.stringify({ data: { type: 'books', id: '1', attributes: { position } } })
}

function countIn(body: string): number {
  return JSON.parse(body).data.attributes.position
}

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

function createSender(url: string, agent: Agent) {
  return (method: string, body?: string, condition: Record<string, string> = {}) =>
    new Promise<Answer>((resolve, reject) => {
      const headers = { accept: mediaType, ...(body && { 'content-type': mediaType }), ...condition }
      const sent = request(url + path, { agent, method, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        response.once('end', () => resolve({ status: response.statusCode, headers: response.headers, body: text }))
        response.once('error', reject)
      })
      sent.once('error', reject).end(body)
    })
}
