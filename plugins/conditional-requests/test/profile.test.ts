import { expect } from 'chai'
import { defineType } from '#kernel'
import { memoryStore } from '#memory'
import type { TestApp } from '#test/support/app.ts'
import { atomicMediaType, atomicUri } from '#test/support/batch.ts'
import { type Client, mediaType } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { declared, inLibrary } from '#test/template/specification/library-app.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { versionsProfile } from '../index.ts'

const accept = `${mediaType}; profile="${versionsProfile}"`
const update = (id: string, title: string, version?: unknown) => ({
  op: 'update',
  data: { type: 'books', id, attributes: { title }, ...(version !== undefined && { meta: { version } }) },
})

describe('The profile "versions"', () => {
  let library: TestApp
  let client: Client
  before(async () => {
    library = await startLibrary()
    client = library.client
  })
  beforeEach(fillLibrary)
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  const versionOf = async (path: string) => (await client.get(path, { accept })).body.data.meta.version
  const titles = async () => {
    const { orm } = await libraryDatabase()
    const rows = await orm.em.getConnection().execute('select title from books order by id')
    return rows.map(({ title }) => title)
  }
  const sendBatch = (operations: readonly object[], headers: Record<string, string> = {}) =>
    client.post(
      '/operations',
      { 'atomic:operations': operations },
      {
        'content-type': atomicMediaType,
        accept: `${mediaType}; ext="${atomicUri}"; profile="${versionsProfile}"`,
        ...headers,
      },
    )

  it('adds meta.version to every resource object, included ones too, without further statements', async () => {
    for (const path of [
      '/shelves/1?include=allBooks,label',
      '/shelves?include=allBooks',
      '/books/1/shelf',
      '/books/1/tags',
    ]) {
      const { body, headers } = await client.get(path, { accept })
      expect(headers.get('content-type')).to.include(versionsProfile)
      expect(body.jsonapi.profile).to.include(versionsProfile)
      const resources = [body.data, body.included ?? []].flat()
      expect(resources.length).to.be.above(0)
      for (const { meta } of resources) expect(meta.version, path).to.match(/^\d+$/)
      const plain = await statementsOf(() => client.get(path))
      expect(await statementsOf(() => client.get(path, { accept })), path).to.have.length(plain.length)
    }
  })

  it('adds meta.version to written resources and to linkage documents', async () => {
    const data = { type: 'shelves', attributes: { name: 'New' } }
    const created = await client.post('/shelves', { data }, { accept })
    expect(created.body.data.meta.version).to.equal(await versionOf(`/shelves/${created.body.data.id}`))
    const linkage = await client.get('/books/1/relationships/tags', { accept })
    expect(linkage.headers.get('etag')).to.match(new RegExp(`^"${linkage.body.meta.version.replaceAll('+', '\\+')}-`))
  })

  it('has an https URI, and is applied under its former URN when the client requests the URN', async () => {
    expect(versionsProfile).to.match(/^https:/)
    const urn = 'urn:jsonapi:profile:versions'
    const former = `${mediaType}; profile="${urn}"`
    const { body, headers } = await client.get('/shelves/1', { accept: former })
    expect(body.data.meta.version).to.match(/^\d+$/)
    expect(headers.get('content-type')).to.equal(former)
    expect(body.jsonapi.profile).to.deep.equal([urn])
    const stale = { data: update('1', 'x', '1').data }
    expect((await client.patch('/books/1', stale, { 'content-type': former })).status).to.equal(412)
    expect((await client.patch('/books/1', stale, { accept: former })).status).to.equal(412)
  })

  it('is described at /profiles/versions', async () => {
    const { status, headers, text } = await client.get('/profiles/versions', { accept: 'text/html' })
    expect(status).to.equal(200)
    expect(headers.get('content-type')).to.equal('text/html; charset=utf-8')
    for (const part of [versionsProfile, 'meta.version', 'PRECONDITION_FAILED']) expect(text).to.include(part)
    const home = await client.get('/', { accept: 'application/json' })
    expect(JSON.parse(home.text).meta.pages).to.have.property('Profile "versions"', `${client.url}/profiles/versions`)
  })

  it('leaves /profiles/versions to the resources of a type named profiles', async () => {
    const profiles = defineType<{ id: string }>({
      type: 'profiles',
      fields: ({ id }) => [id()],
      ...memoryStore([{ id: 'versions' }]),
      operations: ['FetchCollection', 'FetchOne'],
    })
    await inLibrary({ resources: declared(profiles) }, async (app) => {
      expect((await app.client.get('/profiles/versions')).body.data.type).to.equal('profiles')
    })
  })

  it('adds nothing when the client does not request it', async () => {
    const { body } = await client.get('/shelves/1?include=allBooks')
    for (const { meta } of [body.data, ...body.included]) expect(meta).to.equal(undefined)
    expect((await client.get('/books/1/relationships/tags')).body.meta).to.equal(undefined)
  })

  it('compares meta.version of a PATCH document like If-Match', async () => {
    const version = await versionOf('/books/1')
    const patch = (sent: unknown, headers: Record<string, string>) =>
      client.patch('/books/1', { data: { ...update('1', 'x', sent).data } }, headers)
    for (const stale of ['1', '', 7, null, {}, [version]]) {
      const { status, body } = await patch(stale, { accept })
      expect(status, JSON.stringify(stale)).to.equal(412)
      expect(body.errors[0].source).to.deep.equal({ pointer: '/data/meta/version' })
    }
    const typed = { 'content-type': accept }
    expect((await patch('1', typed)).status, 'named in Content-Type').to.equal(412)
    expect((await patch('1', {})).status, 'not requested').to.equal(200)
    expect((await patch(await versionOf('/books/1'), { accept })).status).to.equal(200)
    expect((await patch(await versionOf('/books/1'), typed)).status).to.equal(200)
  })

  it('compares meta.version of a relationship document with its linkage', async () => {
    const path = '/books/1/relationships/tags'
    const { version } = (await client.get(path, { accept })).body.meta
    const stale = await client.patch(path, { data: [], meta: { version: '1' } }, { accept })
    expect(stale.status).to.equal(412)
    expect(stale.body.errors[0].source).to.deep.equal({ pointer: '/meta/version' })
    expect((await client.patch(path, { data: [], meta: { version } }, { accept })).status).to.equal(200)
  })

  it('compares the versions of a batch, and returns the new ones', async () => {
    const versions = [await versionOf('/books/1'), await versionOf('/books/2')]
    const { status, body } = await sendBatch([
      update('1', 'One', versions[0]),
      {
        op: 'update',
        ref: { type: 'books', id: '2', meta: { version: versions[1] } },
        data: { type: 'books', attributes: { title: 'Two' } },
      },
      { op: 'add', data: { type: 'books', attributes: { title: 'Three' } } },
      { op: 'add', data: { type: 'books', attributes: { title: 'Four' } } },
    ])
    expect(status).to.equal(200)
    for (const { data } of body['atomic:results']) {
      expect(data.meta.version).to.equal(await versionOf(`/books/${data.id}`))
    }
  })

  it('rolls a batch back when one version is stale, with the pointer of that version', async () => {
    const before = await titles()
    const version = await versionOf('/books/1')
    for (const [operations, pointer] of [
      [[update('1', 'One', version), update('2', 'Two', '1')], '/atomic:operations/1/data/meta/version'],
      [
        [update('1', 'One', version), { op: 'remove', ref: { type: 'books', id: '2', meta: { version: '1' } } }],
        '/atomic:operations/1/ref/meta/version',
      ],
      [[update('1', 'One', version), update('1', 'Two', version)], '/atomic:operations/1/data/meta/version'],
      [
        [{ op: 'add', data: { type: 'books', attributes: { title: 'New' }, meta: { version: '1' } } }],
        '/atomic:operations/0/data/meta/version',
      ],
    ] as const) {
      const { status, body } = await sendBatch(operations)
      expect(status).to.equal(412)
      expect(body.errors).to.have.length(1)
      expect(body.errors[0]).to.include({ code: 'PRECONDITION_FAILED' })
      expect(body.errors[0].source).to.deep.equal({ pointer })
      expect(await titles()).to.deep.equal(before)
    }
  })

  it('is needed for a batch: If-Match is refused, because it belongs to the URL, and If-None-Match has no effect', async () => {
    const etag = (await client.get('/books/1')).headers.get('etag') as string
    for (const ifMatch of [etag, '*', '"1"']) {
      const { status, body } = await sendBatch([update('1', 'One')], { 'if-match': ifMatch })
      expect(status, ifMatch).to.equal(412)
      expect(body.errors[0].source).to.deep.equal({ pointer: '/atomic:operations/0' })
      expect(body.errors[0].detail).to.contain('a batch takes meta.version of each operation in place of If-Match')
    }
    for (const ifNoneMatch of [etag, '*']) {
      expect((await sendBatch([update('1', 'One')], { 'if-none-match': ifNoneMatch })).status, ifNoneMatch).to.equal(
        200,
      )
    }
  })

  it('is ignored by a server that does not offer it', async () => {
    const app = await startLibrary({ servers: { default: { profiles: [] } } })
    const { body, headers } = await app.client.get('/shelves/1', { accept })
    expect(body.data.meta).to.equal(undefined)
    expect(headers.get('content-type')).to.equal(mediaType)
    expect((await app.client.get('/profiles/versions')).status).to.equal(404)
    await app.close()
  })
})
