import { expect } from 'chai'
import { createRandomSource } from '#test/conformance/random.ts'
import type { TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { readCorpus } from '#test/template/proofs/fuzz/corpus.ts'
import { brokenBounds } from '#test/template/proofs/fuzz/expensive/bounds.ts'
import { toRequest } from '#test/template/proofs/fuzz/expensive/candidate.ts'
import { countContents } from '#test/template/proofs/fuzz/expensive/contents.ts'
import { initialCandidates } from '#test/template/proofs/fuzz/expensive/initial-candidates.ts'
import { type Cost, measure } from '#test/template/proofs/fuzz/expensive/measure.ts'
import { mutate } from '#test/template/proofs/fuzz/expensive/mutate.ts'
import { createSender } from '#test/template/proofs/fuzz/send.ts'

describe('npm run template -- fuzz --expensive', () => {
  let catalog: TestApp
  let sender: ReturnType<typeof createSender>

  before(async () => {
    catalog = await catalogue()
    sender = createSender(Number(new URL(catalog.client.url).port))
  })
  after(() => sender.close())

  it('generates the same requests from the same seed', async () => {
    const corpus = await readCorpus(catalog.app, sender.send)
    const requestsOf = (seed: number) => {
      const draw = createRandomSource(seed)
      const suspects = initialCandidates(corpus, draw)
      const other = draw.pick(suspects)
      return suspects.map((suspect) => mutate(suspect, { corpus, draw, other })).map(toRequest)
    }
    const requests = requestsOf(1)
    expect(requests.length).to.be.above(100)
    expect(requestsOf(1)).to.deep.equal(requests)
    expect(requestsOf(2)).not.to.deep.equal(requests)
  })

  it('measures statements, bytes, resources and resource identifiers of a request', async () => {
    const request = { method: 'GET', path: '/albums?include=tracks', headers: {}, body: null }
    const { text } = await sender.send(request)
    const cost = await measure(request, sender.send)
    const { data, included } = JSON.parse(text)
    expect(cost).to.deep.include({ status: 200, statements: 3, bytes: Buffer.byteLength(text) })
    expect(cost.resources).to.equal(data.length + included.length)
    expect(cost.identifiers).to.be.above(included.length)
  })

  it('counts the resources of a batch, and identifiers in primary data', () => {
    const resource = { type: 'a', id: '1', attributes: {}, relationships: { b: { data: [{ type: 'b', id: '1' }] } } }
    const results = JSON.stringify({ 'atomic:results': [{ data: resource }, { data: null }, {}] })
    expect(countContents(results)).to.deep.equal({ resources: 1, identifiers: 1 })
    const linkage = JSON.stringify({ data: [{ type: 'a', id: '1' }] })
    expect(countContents(linkage)).to.deep.equal({ resources: 0, identifiers: 1 })
    expect(countContents('')).to.deep.equal({ resources: 0, identifiers: 0 })
  })

  it('names each limit that a request exceeds', () => {
    const cost: Cost = {
      status: 200,
      cpu: 1,
      wall: 1,
      bytes: 1,
      statements: 1,
      memory: 0,
      resources: 5_000,
      identifiers: 20_000,
    }
    expect(brokenBounds(cost)).to.deep.equal([])
    expect(brokenBounds({ ...cost, resources: 5_001 })).to.deep.equal(['The response has 5001 resources.'])
    expect(brokenBounds({ ...cost, bytes: 300_000, cpu: 300 })).to.deep.equal([])
    expect(brokenBounds({ ...cost, status: 400, bytes: 300_000, cpu: 300 })).to.deep.equal([
      'The error response has 300000 bytes.',
      'The error response takes 300 ms of CPU time.',
    ])
    expect(brokenBounds({ ...cost, status: 503, wall: 33_000 })).to.deep.equal(['The response takes 33000 ms.'])
  })
})
