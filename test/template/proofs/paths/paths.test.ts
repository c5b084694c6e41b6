import { expect } from 'chai'
import { createRandomSource } from '#test/conformance/random.ts'
import { projectApp } from '#test/support/app.ts'
import { readCorpus } from '#test/template/proofs/fuzz/corpus.ts'
import { createSender, type FuzzRequest, type FuzzResponse } from '#test/template/proofs/fuzz/send.ts'
import { compareRound, type ShrunkDifference } from './compare-round.ts'
import { drawSequence, type SequenceRequest } from './draw-sequence.ts'
import { describeDifference } from './report.ts'
import type { PathService } from './service.ts'

// The checker of `npm run template -- prove paths` on services that are invented here, one of which has a fault.

describe('npm run template -- prove paths', () => {
  const requests: SequenceRequest[] = [
    get('/notes'),
    post({ title: 'a', body: 'b' }),
    get('/notes?sort=title&include=author'),
    { ...post({ title: 'c', body: 'd' }), headers: { 'accept-language': 'de', 'content-type': 'text/plain' } },
    get('/notes?page[size]=2&sort=title'),
    get('/notes/1'),
  ]

  it('finds no difference between equal paths with other ids, times, entity tags and addresses', async () => {
    const [reference, other] = [createNotes('reference'), createNotes('other')]
    const { differences, statuses } = await compareRound({ requests, reference, others: [other] })
    expect(differences).to.deep.equal([])
    expect(statuses).to.deep.equal(['200', '201', '200', '201', '200', '200'])
  })

  it('shrinks a different response to the requests, parameters and members that cause it', async () => {
    const broken = createNotes('broken', {
      change: (text, request, notes) =>
        request.path.includes('sort') && notes.some(({ title }) => title === 'c') ? text.replace('"c"', '"C"') : text,
    })
    const { differences } = await compareRound({ requests, reference: createNotes('reference'), others: [broken] })
    expect(differences).to.have.length(1)
    const [difference] = differences
    expect(difference?.requests.map(({ method, path, body, headers }) => [method, path, body, headers])).to.deep.equal([
      ['POST', '/notes', '{"data":{"attributes":{"title":"c"}}}', {}],
      ['GET', '/notes?sort=title', null, {}],
    ])
    const report = describeDifference(difference as ShrunkDifference, '--requests 6 --seed 7')
    expect(report).to.include("Path 'broken' differs in the last response after 2 requests")
    expect(report).to.include('npm run template -- prove paths --requests 6 --seed 7 --paths broken')
  })

  it('reports rows that differ although all responses are equal', async () => {
    const broken = createNotes('broken', { keep: ({ title }) => title !== 'a' })
    const writes = requests.filter(({ method }) => method === 'POST')
    const { differences } = await compareRound({
      requests: writes,
      reference: createNotes('reference'),
      others: [broken],
    })
    expect(differences[0]).to.deep.include({ request: null, actual: '' })
    expect(differences[0]?.expected).to.include('"title":"a"')
    expect(differences[0]?.requests).to.have.length(1)
  })

  it('draws the same requests from a seed: reads, writes, batches, conditions and idempotency keys', async () => {
    const { app, client } = await projectApp()
    const { send, close } = createSender(Number(new URL(client.url).port))
    const corpus = await readCorpus(app, send)
    close()
    const drawn = drawSequence(corpus, createRandomSource(1), 500)
    expect(drawn).to.deep.equal(drawSequence(corpus, createRandomSource(1), 500))
    expect(new Set(drawn.map(({ method }) => method))).to.include.keys('GET', 'POST', 'PATCH', 'DELETE')
    const headers = new Set(drawn.flatMap((request) => Object.keys(request.headers)))
    expect(headers).to.include.keys('if-match', 'if-none-match', 'idempotency-key')
    expect(drawn.some(({ path }) => path.endsWith('/operations'))).to.equal(true)
  })
})

interface Note {
  readonly id: string
  readonly title?: string
}

interface Fault {
  change?(text: string, request: FuzzRequest, notes: readonly Note[]): string
  keep?(note: Note): boolean
}

let services = 0

/** A service in memory with random ids, whose fault changes responses or loses rows. */
function createNotes(name: string, { change = (text) => text, keep = () => true }: Fault = {}): PathService {
  const url = `http://127.0.0.1:${1000 + ++services}`
  let notes: Note[] = []
  const respond = (request: FuzzRequest): Pick<FuzzResponse, 'status' | 'text'> => {
    if (request.method === 'GET') return { status: 200, text: JSON.stringify({ links: { self: url }, data: notes }) }
    const created = { id: crypto.randomUUID(), type: 'notes', ...JSON.parse(String(request.body)).data?.attributes }
    const at = new Date().toISOString()
    if (keep(created)) notes.push(created)
    return { status: 201, text: JSON.stringify({ data: created, meta: { at } }) }
  }
  return {
    name,
    url,
    async send(request) {
      const { status, text } = respond(request)
      const headers = { etag: `"${crypto.randomUUID()}"`, date: new Date().toUTCString() }
      return { status, contentType: 'application/vnd.api+json', headers, text: change(text, request, notes) }
    },
    async reset() {
      notes = []
    },
    rows: async () => notes.map((note) => JSON.stringify(note)),
    close: async () => {},
  }
}

function get(path: string): SequenceRequest {
  return { method: 'GET', path, headers: { accept: '*/*' }, body: null }
}

function post(attributes: object): SequenceRequest {
  return { method: 'POST', path: '/notes', headers: {}, body: JSON.stringify({ data: { type: 'notes', attributes } }) }
}
