import { AssertionError, expect } from 'chai'
import { catalogue } from '#test/support/catalogue.ts'
import { type Conformance, conformanceTo, type Exchange } from '#test/support/conformance.ts'

// The check that the test client runs on every response detects each difference from the OpenAPI document.

describe('OpenAPI conformance check', () => {
  let conforms: Conformance
  let list: Exchange
  beforeEach(async () => {
    const { app, client } = await catalogue()
    conforms = conformanceTo(app)
    const body = JSON.parse((await client.get('/albums')).text)
    list = { method: 'GET', path: '/albums', status: 200, contentType: 'application/vnd.api+json', body }
  })
  const changed = (change: (body: Exchange['body'] & object) => void): Exchange => {
    const body = structuredClone(list.body) as object
    change(body)
    return { ...list, body }
  }
  const failure = (code?: string): Pick<Exchange, 'status' | 'body'> => ({
    status: 400,
    body: {
      errors: [{ status: '400', title: 'Bad Request', ...(code && { code }) }],
      jsonapi: { version: '1.1' },
    },
  })

  it('accepts described responses and errors', () => {
    expect(() => conforms(list)).not.to.throw()
    expect(() => conforms({ ...list, ...failure() })).not.to.throw()
    expect(() => conforms({ ...list, ...failure('SORTING_UNRECOGNIZED') })).not.to.throw()
  })

  // biome-ignore lint/suspicious/noExplicitAny: the document is broken on purpose
  const deviations: Readonly<Record<string, (body: any) => void>> = {
    'has an undeclared attribute': ({ data }) => {
      data[0].attributes.secret = 1
    },
    'has a value of another type': ({ data }) => {
      data[0].attributes.title = 7
    },
    'has null in a required attribute': ({ data }) => {
      data[0].attributes.title = null
    },
    'has a value outside its enum': ({ data }) => {
      data[0].attributes.status = 'lost'
    },
    'has an undeclared relation': ({ data }) => {
      data[0].relationships.label = { data: null }
    },
    'links to another type': ({ data }) => {
      data[0].relationships.artist.data.type = 'tracks'
    },
    'includes a type that cannot be included': ({ included }) => {
      included.push({ type: 'genres', id: 'rock' })
    },
    'lacks its data': (body) => {
      delete body.data
    },
  }
  for (const [deviation, change] of Object.entries(deviations)) {
    it(`throws when a response ${deviation}`, () => {
      expect(() => conforms(changed(change))).to.throw(AssertionError, 'does not describe 200 of GET /albums')
    })
  }

  it('throws when the status or the media type is not described', () => {
    expect(() => conforms({ ...list, status: 201 })).to.throw(AssertionError, 'has no response with status 201')
    const contentType = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'
    expect(() => conforms({ ...list, contentType })).to.throw(AssertionError, 'and application/vnd.api+json; ext=')
  })

  it('throws when the error code belongs to other operations', () => {
    expect(() => conforms({ ...list, ...failure('RESOURCE_ID_MISSING') })).to.throw(AssertionError)
    expect(() => conforms({ ...list, ...failure('RESOURCE_NOT_FOUND') })).to.throw(AssertionError)
  })

  it('throws when the path is not described', () => {
    expect(() => conforms({ ...list, path: '/albums/1/unknown' })).to.throw(AssertionError)
  })
})
