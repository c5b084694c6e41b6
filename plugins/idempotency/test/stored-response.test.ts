import { expect } from 'chai'
import type Koa from 'koa'
import { captureResponse, measureResponse, toReplay } from '../stored-response.ts'

/** The parts of a Koa context that are read. */
function contextWith(status: number, body: unknown, headers: object = {}): Koa.Context {
  return { status, body, res: { getHeaders: () => headers } } as unknown as Koa.Context
}

describe('A response that is stored with an idempotency key', () => {
  it('has the headers that were set or changed by the request', () => {
    const headers = { vary: 'Accept, Origin', 'x-frame-options': 'DENY', 'x-kept': '1', location: '/shelves/1' }
    const before = { vary: 'Accept', 'x-frame-options': 'DENY', 'x-kept': 1 }
    expect(captureResponse(contextWith(201, '{}', headers), before).headers).to.deep.equal({
      vary: 'Accept, Origin',
      location: '/shelves/1',
    })
  })

  it('joins several values of a header', () => {
    const headers = { link: ['</a>; rel=next', '</b>; rel=prev'], age: 3 }
    expect(captureResponse(contextWith(200, '{}', headers), {}).headers).to.deep.equal({
      link: '</a>; rel=next, </b>; rel=prev',
      age: '3',
    })
  })

  it('has no headers without a value', () => {
    expect(captureResponse(contextWith(200, '{}', { etag: undefined }), { etag: '"1"' }).headers).to.deep.equal({})
  })

  for (const name of [
    'content-length',
    'content-encoding',
    'transfer-encoding',
    'connection',
    'date',
    'set-cookie',
  ] as const) {
    it(`has no header ${name}`, () => {
      expect(captureResponse(contextWith(200, '{}', { [name]: 'value' }), {}).headers).to.deep.equal({})
    })
  }

  for (const [name, status, body, stored] of [
    ['a text', 200, '{"data":null}', '{"data":null}'],
    ['bytes', 200, Buffer.from('{}'), '{}'],
    ['nothing', 202, null, null],
    ['no value', 202, undefined, null],
    ['a body that is not sent', 204, '{}', null],
  ] as const) {
    it(`has the body of a response with ${name}`, () => {
      expect(captureResponse(contextWith(status, body), {})).to.deep.equal({ status, headers: {}, body: stored })
    })
  }

  it('has the size of its body in UTF-8, of its headers and of its local ids as JSON', () => {
    const headers = { location: '/é' }
    const size = 2 + Buffer.byteLength('{"location":"/é"}')
    expect(measureResponse({ status: 201, headers, body: 'é', localIds: null })).to.equal(size)
    expect(measureResponse({ status: 201, headers, body: 'é', localIds: { 'books ö': '1' } })).to.equal(size + 16)
    expect(measureResponse({ status: 204, headers: {}, body: null, localIds: null })).to.equal('{}'.length)
  })

  it('is repeated with a header that says so', () => {
    const headers = { location: '/shelves/1' }
    expect(toReplay({ status: 201, headers, body: '{}', localIds: null })).to.deep.equal({
      kind: 'rendered',
      status: 201,
      headers: { location: '/shelves/1', 'Idempotency-Replayed': 'true' },
      body: '{}',
    })
  })
})
