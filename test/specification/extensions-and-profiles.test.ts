import { expect } from 'chai'
import type { TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { type Client, mediaType } from '#test/support/client.ts'
import { startLibrary } from '#test/support/library/index.ts'
import { fillLibrary } from './library-rows.ts'
import { atomicMediaType, cursorUri, expectError } from './support.ts'

// https://jsonapi.org/format/1.1/#extensions and #profiles

describe('Extensions and profiles', () => {
  let client: Client
  let library: TestApp

  before(async () => {
    client = (await catalogue()).client
    await fillLibrary()
    library = await startLibrary()
  })

  after(() => library.close())

  const run = (operations: unknown, path = '/operations') =>
    client.post(path, { 'atomic:operations': operations }, { 'content-type': atomicMediaType, accept: atomicMediaType })

  it('PRO-01 keeps the rules of the base inside an extension', async () => {
    const data = { type: 'artists', id: '7', attributes: { name: 'Air' } }
    const pointer = '/atomic:operations/0/data/id'
    expectError(await run([{ op: 'add', data }]), 403, 'CLIENT_GENERATED_ID_NOT_SUPPORTED', { pointer })
  })

  it('PRO-03 puts the members of an extension under its namespace', async () => {
    const { body } = await run([{ op: 'add', data: { type: 'artists', attributes: { name: 'Air' } } }])
    expect(body).to.have.all.keys('atomic:results', 'links', 'jsonapi')
    expect(body['atomic:results'][0].data.attributes.name).to.equal('Air')
  })

  it('PRO-03 reads the members of an extension only where it is applied', async () => {
    const answer = await client.post('/artists', { 'atomic:operations': [] })
    expectError(answer, 400, 'REQUIRED_TOP_LEVEL_MEMBERS_MISSING')
  })

  it('PRO-04 changes nothing of the data under a profile', async () => {
    const plain = await client.get('/tracks')
    const asked = await client.get('/tracks', { accept: `${mediaType}; profile="${cursorUri}"` })
    expect(asked.body).to.deep.equal(plain.body)
  })

  it('PRO-05 gives parameters of profiles names the standard leaves to servers', async () => {
    const { app } = await catalogue()
    const names = app.plugins.flatMap(({ profiles, parameters }) => (profiles ? Object.keys(parameters ?? {}) : []))
    expect(names).to.include('withCount')
    for (const name of names) expect(name).to.match(/^[a-zA-Z]*[A-Z][a-zA-Z]*$/)
    expect((await client.get('/albums?withCount=tracks')).status).to.equal(200)
  })

  it('PRO-06 answers alike whether or not a profile it applies was asked for', async () => {
    const plain = await library.client.get('/books')
    const asked = await library.client.get('/books', { accept: `${mediaType}; profile="${cursorUri}"` })
    expect(plain.status).to.equal(200)
    expect(asked.body).to.deep.equal(plain.body)
  })

  it('PRO-06 announces a profile also when only an included collection makes use of it', async () => {
    const { body } = await library.client.get('/shelves?include=books')
    expect(body.meta.page).to.have.property('currentPage')
    expect(body.jsonapi.profile).to.deep.equal([cursorUri])
  })
})
