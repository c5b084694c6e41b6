import { expect } from 'chai'
import type { TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { type Client, mediaType } from '#test/support/client.ts'
import { startLibrary } from '#test/template/support/library/index.ts'
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

  it('PRO-01 applies the rules of the base specification inside an extension', async () => {
    const data = { type: 'artists', id: '7', attributes: { name: 'Air' } }
    const pointer = '/atomic:operations/0/data/id'
    expectError(await run([{ op: 'add', data }]), 403, 'CLIENT_GENERATED_ID_NOT_SUPPORTED', { pointer })
  })

  it('PRO-03 returns the members of an extension under its namespace', async () => {
    const { body } = await run([{ op: 'add', data: { type: 'artists', attributes: { name: 'Air' } } }])
    expect(body).to.have.all.keys('atomic:results', 'links', 'jsonapi')
    expect(body['atomic:results'][0].data.attributes.name).to.equal('Air')
  })

  it('PRO-03 ignores the members of an extension where it is not applied', async () => {
    const response = await client.post('/artists', { 'atomic:operations': [] })
    expectError(response, 400, 'REQUIRED_TOP_LEVEL_MEMBERS_MISSING')
  })

  it('PRO-04 returns the same document when a profile is requested that does not apply', async () => {
    const plain = await client.get('/tracks')
    const requested = await client.get('/tracks', { accept: `${mediaType}; profile="${cursorUri}"` })
    expect(requested.body).to.deep.equal(plain.body)
  })

  it('PRO-05 names the parameters of profiles with a capital letter inside, as implementations must', async () => {
    const { app } = await catalogue()
    const names = app.plugins.flatMap(({ profiles, parameters }) => (profiles ? Object.keys(parameters ?? {}) : []))
    expect(names).to.include('withCount')
    for (const name of names) expect(name).to.match(/^[a-zA-Z]*[A-Z][a-zA-Z]*$/)
    expect((await client.get('/albums?withCount=tracks')).status).to.equal(200)
  })

  it('PRO-06 returns the same document whether or not an applied profile is requested', async () => {
    const plain = await library.client.get('/books')
    const requested = await library.client.get('/books', { accept: `${mediaType}; profile="${cursorUri}"` })
    expect(plain.status).to.equal(200)
    expect(requested.body).to.deep.equal(plain.body)
  })

  it('PRO-06 names a profile that only an included collection uses', async () => {
    const { body } = await library.client.get('/shelves?include=books')
    expect(body.meta.page).to.have.property('currentPage')
    expect(body.jsonapi.profile).to.deep.equal([cursorUri])
  })
})
