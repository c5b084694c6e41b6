import { expect } from 'chai'
import createError from 'http-errors'
import { ApiErrors } from '#app/kernel/errors/errors.ts'
import { plugins as listed } from '#app/plugins.ts'
import { defineError } from '#kernel'
import { addSteps, type Plugin } from '#kernel/plugin'
import { startApp, type TestAppOptions } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { atomicMediaType, expectHttpError, readFaults } from './support.ts'

// https://jsonapi.org/format/1.1/#errors

const locked = defineError('LOCKED', 403, 'Locked', "'{name}' is locked.")
const taken = defineError('TAKEN', 409, 'Taken', "'{name}' is taken.")
const failed = defineError('FAILED', 500, 'Failed', 'It failed.')

describe('Errors', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  it('ERR-01 returns all faults of one stage and does not run the next stage', async () => {
    const data = { type: 'albums', attributes: { title: '', explicit: 1 } }
    const violations = await client.post('/albums', { data })
    expect(violations.body.errors).to.have.length(2)
    const query = await client.post('/albums?nope=1&nada=2', { data })
    expect(readFaults(query).map(({ source }) => source)).to.deep.equal([{ parameter: 'nope' }, { parameter: 'nada' }])
  })

  it('ERR-02 returns the common status of several errors', async () => {
    const response = await client.post('/albums', { data: { type: 'albums', attributes: { title: '', explicit: 1 } } })
    expect(response.status).to.equal(422)
  })

  it('ERR-02 returns 400 or 500 when the statuses of several errors differ', async () => {
    const refusal = new ApiErrors([locked({ name: 'a' }), taken({ name: 'b' })])
    const mixed = await answerTo(refusal)
    expect(mixed.status).to.equal(400)
    expect(mixed.body.errors.map(({ status }: { status: string }) => status)).to.deep.equal(['403', '409'])
    expect((await answerTo(new ApiErrors([locked({ name: 'a' }), failed()]))).status).to.equal(500)
  })

  it('ERR-03 ERR-04 returns error objects in a top-level list, with members of the specification only', async () => {
    const { body } = await client.get('/albums/4711')
    expect(body.errors).to.deep.equal([
      {
        links: { type: `${client.url}/errors#RESOURCE_NOT_FOUND` },
        status: '404',
        code: 'RESOURCE_NOT_FOUND',
        title: 'Resource not found',
        detail: "There is no resource of type 'albums' with the id '4711'.",
      },
    ])
  })

  it('ERR-05 returns the links and the meta of the thrown error', async () => {
    const links = { about: 'https://example.com/locked' }
    const { body } = await answerTo(locked({ name: 'a' }, { links, meta: { since: 1 } }))
    expect(body.errors[0]).to.deep.include({ links, meta: { since: 1 } })
  })

  it('ERR-05 links to a page that explains the code', async () => {
    const { body } = await client.get('/albums?sort=nope')
    const [, path = '', anchor] = /^(.+)#(.+)$/.exec(body.errors[0].links.type) ?? []
    const page = await client.get(path, { accept: 'text/html' })
    expect(page.status).to.equal(200)
    expect(page.text).to.include(`<h2 id="${anchor}">`).and.include('SORTING_UNRECOGNIZED')
  })

  it('ERR-06 returns the status of the response as a string in each error', async () => {
    for (const [path, status] of [
      ['/albums/4711', 404],
      ['/albums?nope=1', 400],
      ['/albums/1/nope', 404],
    ] as const) {
      const response = await client.get(path)
      expect(response.status).to.equal(status)
      expect(response.body.errors[0].status).to.equal(String(status))
    }
  })

  it('ERR-07 returns the code of an exception as a string in debug mode only', async () => {
    const error = Object.assign(new Error('out of order'), { code: 42 })
    const open = await answerTo(error, { config: { debug: true } })
    expect(open.body.errors[0]).to.include({ status: '500', code: '42', detail: 'out of order' })
    expect(open.body.errors[0].meta).to.have.all.keys('exception', 'file', 'line', 'trace')
    const closed = await answerTo(error)
    expect(closed.body.errors).to.deep.equal([{ status: '500', title: 'Internal Server Error' }])
  })

  it('ERR-08 returns a constant title for a code, and the details of the request in detail', async () => {
    const [first, second] = [await client.get('/albums/4711'), await client.get('/artists/4712')].map(
      ({ body }) => body.errors[0],
    )
    expect(first.title).to.equal(second.title)
    expect(first.detail).to.contain('4711')
    expect(second.detail).to.contain('4712')
  })

  it('ERR-09 returns at most one kind of source', async () => {
    const responses = [
      await client.get('/albums/4711'),
      await client.get('/albums?sort=nope'),
      await client.get('/albums', { accept: 'text/html' }),
      await client.post('/albums', { data: {} }),
    ]
    const keys = responses.map(({ body }) => Object.keys(body.errors[0].source ?? {}))
    expect(keys).to.deep.equal([[], ['parameter'], ['header'], ['pointer']])
  })

  const faulty: readonly (readonly [method: string, path: string, body: unknown])[] = [
    ['POST', '/albums', { data: { type: 'albums' } }],
    ['POST', '/albums', { data: { type: 'albums', attributes: {} } }],
    ['POST', '/albums', { data: { type: 'albums', attributes: { title: null, releaseInfo: { label: 1 } } } }],
    ['POST', '/albums', { data: { type: 'artists', id: '1' } }],
    ['POST', '/albums', { data: { type: 'albums', id: '1' } }],
    ['POST', '/albums', { meta: {} }],
    ['POST', '/albums', { data: { id: 1, relationships: { artist: { data: { type: 1 } }, tracks: { data: [{}] } } } }],
    ['POST', '/tracks', { data: { type: 'tracks', attributes: { title: 'x', genres: ['a', 'a'], trackNumber: 0 } } }],
    ['PATCH', '/albums/1', { data: { type: 'albums', id: '1', relationships: { artist: {} } } }],
    ['PATCH', '/albums/1/relationships/artist', { data: { type: 'artists', id: '4711' } }],
    ['PATCH', '/albums/1/relationships/artist', { data: [] }],
  ]
  for (const [method, path, body] of faulty) {
    it(`ERR-10 points to a value of the request for ${method} ${path} ${JSON.stringify(body)}`, async () => {
      const response = await client.send(method, path, { body })
      const pointers = readFaults(response).map(({ source }) => (source as { pointer: string }).pointer)
      expect(pointers, response.text).not.to.be.empty
      for (const pointer of pointers) expect(valueAt(body, pointer), pointer).not.to.equal(undefined)
    })
  }

  it('ERR-10 points into the operation of a batch', async () => {
    const body = {
      'atomic:operations': [
        { op: 'add', data: { type: 'artists', attributes: { name: 'Air' } } },
        { op: 'add', data: { type: 'artists', attributes: { name: '' } } },
      ],
    }
    const response = await client.post('/operations', body, {
      'content-type': atomicMediaType,
      accept: atomicMediaType,
    })
    const pointer = '/atomic:operations/1/data/attributes/name'
    expect(readFaults(response)).to.deep.equal([{ code: 'VALIDATION_FAILED', source: { pointer } }])
    expect(valueAt(body, pointer)).to.equal('')
  })

  it('ERR-11 names the invalid parameter or header', async () => {
    const sourceOf = async (path: string, headers = {}) => (await client.get(path, headers)).body.errors[0].source
    expect(await sourceOf('/albums?sort=nope')).to.deep.equal({ parameter: 'sort' })
    expect(await sourceOf('/albums?fields%5Balbums%5D=nope')).to.deep.equal({ parameter: 'fields[albums]' })
    expect(await sourceOf('/albums', { accept: 'text/html' })).to.deep.equal({ header: 'Accept' })
    const contentType = { 'content-type': 'application/vnd.api+json; charset=utf-8' }
    expect(await sourceOf('/albums', contentType)).to.deep.equal({ header: 'Content-Type' })
  })

  describe('HTTP exceptions', () => {
    const titles: Record<number, string> = {
      400: 'Bad Request',
      401: 'Unauthorized',
      403: 'Forbidden',
      404: 'Not Found',
      405: 'Method Not Allowed',
      406: 'Not Acceptable',
      409: 'Conflict',
      415: 'Unsupported Media Type',
      422: 'Unprocessable Entity',
      413: 'Error',
      418: 'Error',
      429: 'Error',
      500: 'Server Error',
      503: 'Server Error',
    }
    for (const [status, title] of Object.entries(titles)) {
      it(`ERR-07 returns the title ${title} for status ${status}, no code, and a detail in debug mode only`, async () => {
        const error = createError(Number(status), 'for a reason')
        const closed = await answerTo(error)
        expectHttpError(closed, Number(status), title)
        expect(closed.body.errors[0].detail).to.equal('')
        const open = await answerTo(error, { config: { debug: true } })
        expect(open.body.errors[0].detail).to.equal('for a reason')
      })
    }

    it('ERR-07 keeps the headers of an exception', async () => {
      const response = await answerTo(createError(429, 'slow down', { headers: { 'Retry-After': '7' } }))
      expect(response.headers.get('retry-after')).to.equal('7')
    })
  })
})

/** Returns the response to a request whose handling throws the error. */
async function answerTo(error: unknown, options: TestAppOptions = {}): Promise<ClientResponse> {
  const throwing: Plugin = {
    name: 'throwing',
    plan: addSteps({
      begin() {
        throw error
      },
    }),
  }
  const app = await startApp({ plugins: [...listed, throwing], undescribed: ['default'], ...options })
  try {
    return await app.client.get('/albums')
  } finally {
    await app.close()
  }
}

/** Resolves a JSON pointer (RFC 6901). */
function valueAt(document: unknown, pointer: string): unknown {
  const members = pointer.split('/').slice(1)
  return members
    .map((member) => member.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((value, member) => (value as Record<string, unknown> | undefined)?.[member], document)
}
