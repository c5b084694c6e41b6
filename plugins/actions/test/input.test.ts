import { expect } from 'chai'
import { type ActionContext, meta, noContent } from '#plugins/actions/index.ts'
import { Policy } from '#plugins/authorization/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { as } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import type { Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary } from '#test/template/support/library/index.ts'
import { startShelves } from '#test/template/support/library/shelves.ts'
import { open, sendBytes } from '#test/template/support/raw-http.ts'

class ShelfPolicy extends Policy {
  static override readonly needs = { view: [], update: [], delete: [] }
  override viewAny = () => true
  override view = () => true
  override create = () => true
  override update = () => true
  override delete = () => true
  rename = (principal: unknown) => principal !== null
  cover = (principal: unknown) => principal !== null
}

describe('Actions: input', () => {
  let library: TestApp
  const received: unknown[] = []
  before(async () => {
    library = await startShelves({
      policy: ShelfPolicy,
      actions: ({ action }) => [
        action('rename', {
          input: 'document',
          inputType: 'renames',
          answers: 'meta',
          handle({ input }) {
            received.push(input)
            return meta(input)
          },
        }),
        action('cover', {
          input: 'raw',
          accepts: ['image/png', 'text/plain'],
          maxBytes: 1000,
          answers: ['noContent', 'meta'],
          handle({ subject, input }: ActionContext<Shelf, { mediaType: string; bytes: Buffer }>) {
            received.push(input)
            subject.name = input.bytes.toString()
            return input.mediaType === 'text/plain' ? meta({ size: input.bytes.length }) : noContent()
          },
        }),
      ],
    })
  })
  beforeEach(() => void received.splice(0))
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  const headers = as('ada')
  const document = (attributes: object, more: object = {}) => ({ data: { type: 'renames', attributes, ...more } })
  const rename = (body: unknown, sent: Record<string, string> = headers) =>
    library.client.post('/shelves/1/-actions/rename', body, sent)
  const codesOf = (body: { errors: { code?: string; source?: { pointer?: string } }[] }) =>
    body.errors.map(({ code, source }) => [code, source?.pointer])

  describe('document', () => {
    it('passes the values of a valid document to the handler in a plain object', async () => {
      const relationships = { book: { data: { type: 'books', id: '1' } } }
      const { status } = await rename(document({ name: 'Prose', times: 2, unknown: 1 }, { relationships }))
      expect(status).to.equal(200)
      expect(received).to.deep.equal([{ name: 'Prose', times: 2, book: { type: 'books', id: '1', key: 1 } }])
    })

    it('ignores read-only attributes of the input type', async () => {
      const { status } = await rename(document({ name: 'Prose', editor: 'ada' }))
      expect(status).to.equal(200)
      expect(received).to.deep.equal([{ name: 'Prose' }])
    })

    it('returns 422 with all violations of the rules of the input type', async () => {
      const { status, body } = await rename(document({ name: 'Far too long', times: 9 }))
      expect(status).to.equal(422)
      expect(codesOf(body)).to.deep.equal([
        ['VALIDATION_FAILED', '/data/attributes/name'],
        ['VALIDATION_FAILED', '/data/attributes/times'],
      ])
      expect(codesOf((await rename(document({}))).body)).to.deep.equal([['VALIDATION_FAILED', '/data/attributes']])
      expect(received).to.deep.equal([])
    })

    it('returns 400 for a document with another structure, and 409 for another type', async () => {
      expect(codesOf((await rename({ meta: {} })).body)).to.deep.equal([['DATA_MEMBER_MISSING', '']])
      expect(codesOf((await rename({ data: [] })).body)).to.deep.equal([['DATA_MEMBER_MISSING', '/data']])
      const other = await rename({ data: { type: 'shelves', attributes: { name: 'Prose' } } })
      expect([other.status, ...codesOf(other.body)]).to.deep.equal([409, ['RESOURCE_TYPE_UNACCEPTABLE', '/data/type']])
      expect((await rename('{')).status).to.equal(400)
      expect((await rename('')).status).to.equal(400)
    })

    it('returns 404 for linkage to a resource that does not exist', async () => {
      const relationships = { book: { data: { type: 'books', id: '9' } } }
      const { status, body } = await rename(document({ name: 'Prose' }, { relationships }))
      expect(status).to.equal(404)
      expect(codesOf(body)).to.deep.equal([['RESOURCE_NOT_FOUND', '/data/relationships/book/data']])
    })

    it('returns 404 for the subject and 401 for the ability before the input is checked', async () => {
      expect((await library.client.post('/shelves/9/-actions/rename', { data: [] }, headers)).status).to.equal(404)
      expect((await rename({ data: [] }, {})).status).to.equal(401)
    })

    it('returns 415 for a body of another media type', async () => {
      expect((await rename(document({ name: 'Prose' }), { ...headers, 'content-type': 'text/plain' })).status).to.equal(
        415,
      )
    })
  })

  describe('raw', () => {
    const cover = (body: string, type = 'image/png', sent: Record<string, string> = headers, id = '1') =>
      library.client.send('POST', `/shelves/${id}/-actions/cover`, { body, headers: { ...sent, 'content-type': type } })
    const nameOfShelf = async () => (await library.client.get('/shelves/1')).body.data.attributes.name

    it('passes media type and bytes to the handler', async () => {
      expect((await cover('Prose', 'IMAGE/PNG; a=b')).status).to.equal(204)
      expect(received).to.deep.equal([{ mediaType: 'image/png', bytes: Buffer.from('Prose') }])
      expect((await cover('x'.repeat(1000), 'text/plain')).body.meta).to.deep.equal({ size: 1000 })
      const uncompressed = { ...headers, 'content-encoding': 'Identity' }
      expect((await cover('Prose', 'image/png', uncompressed)).status).to.equal(204)
    })

    it('returns 422 when the handler stores a NUL character, and changes nothing', async () => {
      await cover('Prose')
      for (const text of ['\0', 'Pro\0se']) {
        const { status, body } = await cover(text)
        expect([status, body.errors[0].code]).to.deep.equal([422, 'VALIDATION_FAILED'])
      }
      expect(await nameOfShelf()).to.equal('Prose')
    })

    it('returns 415 that lists the accepted media types', async () => {
      for (const type of ['image/gif', 'application/vnd.api+json', 'x']) {
        const { status, body } = await cover('x', type)
        expect(status).to.equal(415)
        expect(body.errors[0].detail).to.contain('Accepted: image/png, text/plain.')
        expect(body.errors[0].source).to.deep.equal({ header: 'Content-Type' })
      }
      const encoded = await cover('x', 'image/png', { ...headers, 'content-encoding': 'gzip' })
      expect([encoded.status, encoded.body.errors[0].source]).to.deep.equal([415, { header: 'Content-Encoding' }])
      expect(encoded.headers.get('accept-encoding')).to.equal('identity')
      expect(received).to.deep.equal([])
    })

    it('returns 413 for a body over the limit, with and without Content-Length', async () => {
      const { status, body } = await cover('x'.repeat(1001))
      expect([status, body.errors[0].source]).to.deep.equal([413, { header: 'Content-Length' }])
      const chunk = `${(1001).toString(16)}\r\n${'x'.repeat(1001)}\r\n`
      const [chunked] = await sendBytes(
        library.client.url,
        'POST /shelves/1/-actions/cover HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\nContent-Type: image/png\r\n',
        `Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunk}0\r\n\r\n`,
      )
      expect(chunked?.status).to.equal(413)
      expect(received).to.deep.equal([])
    })

    it('returns 404 and 401 before 415 and 413', async () => {
      expect((await cover('x', 'image/gif', headers, '9')).status).to.equal(404)
      expect((await cover('x', 'image/gif', {})).status).to.equal(401)
      expect((await cover('x'.repeat(2000), 'image/png', {})).status).to.equal(401)
    })

    it('sends no statement and changes nothing when the client disconnects during the upload', async () => {
      const before = await nameOfShelf()
      const statements = await statementsOf(async () => {
        const socket = open(library.client.url)
        const closed = new Promise((resolve) => socket.once('close', resolve))
        const head = 'POST /shelves/1/-actions/cover HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\n'
        await new Promise((resolve) =>
          socket.write(`${head}Content-Type: image/png\r\nContent-Length: 900\r\n\r\nhalf`, resolve),
        )
        socket.destroy()
        await closed
        // A request on another connection is answered after the server has read the end of the first.
        await library.client.get('/renames')
      })
      expect(statements).to.deep.equal([])
      expect(received).to.deep.equal([])
      expect(await nameOfShelf()).to.equal(before)
    })
  })

  it('ignores a body when the action has no input', async () => {
    const other = await startShelves({
      actions: ({ action }) => [action('dust', { answers: 'noContent', handle: () => noContent() })],
    })
    expect((await other.client.post('/shelves/1/-actions/dust', { any: 'thing' })).status).to.equal(204)
    expect((await other.client.send('POST', '/shelves/1/-actions/dust')).status).to.equal(204)
    await other.close()
  })
})
