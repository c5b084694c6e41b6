import { expect } from 'chai'
import { defineResource, type ResourceDeclaration } from '#kernel'
import { Policy } from '#plugins/authorization/index.ts'
import { created, metaResult, noContent, ok } from '#plugins/responses/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { accepted, seeOther } from './index.ts'

// What is wrong with declared answers is told by test/template/kernel/declarations/registry.test.ts.

describe('The plugin async-writes', () => {
  let library: TestApp
  const start = async (declaration: Partial<ResourceDeclaration<Shelf>>, disabled: readonly string[] = []) => {
    const shelves = defineResource(Shelf, {
      type: 'shelves',
      fields: ({ id, string }) => [id(), string('name')],
      ...declaration,
    })
    library = await startLibrary({ resources: [{ file: 'shelves.ts', resource: shelves }], disabled })
  }
  const job = {
    fetchOne: [ok(), seeOther()],
    completionLocation: ({ id, name }: { id: number; name: string }) => (name === 'done' ? `/results/${id}` : null),
  }

  before(async () => {
    await emptyLibrary()
    const { orm } = await libraryDatabase()
    await orm.em.getConnection().execute(`insert into shelves (name) values ('done'), ('at work')`)
  })
  afterEach(() => library.close())
  after(emptyLibrary)

  it('returns 303 with Location and without a body for a completed job', async () => {
    await start(job)
    const { status, headers, text } = await library.client.get('/shelves/1')
    expect([status, text]).to.deep.equal([303, ''])
    expect(headers.get('location')).to.equal(`${library.client.url}/results/1`)
    expect(headers.get('vary')).to.match(/\bAccept\b/)
  })

  it('shows a running job, and all jobs in the collection', async () => {
    await start(job)
    expect((await library.client.get('/shelves/2')).status).to.equal(200)
    expect((await library.client.get('/shelves')).body.data).to.have.length(2)
  })

  it('reads the properties of a job that a sparse fieldset omits', async () => {
    await start(job)
    expect((await library.client.get('/shelves/1?fields[shelves]=')).status).to.equal(303)
  })

  it('accepts a location on another host', async () => {
    await start({ completionLocation: () => 'https://elsewhere.example/1' })
    expect((await library.client.get('/shelves/1')).headers.get('location')).to.equal('https://elsewhere.example/1')
  })

  it('returns 401 when an anonymous requester may not view the job', async () => {
    await start({ ...job, policy: ClosedPolicy })
    expect((await library.client.get('/shelves/1')).status).to.equal(401)
  })

  it('shows completed jobs when the plugin is disabled', async () => {
    await start(job, ['async-writes'])
    expect((await library.client.get('/shelves/1')).status).to.equal(200)
  })

  it('declares one response per status', () => {
    const answers = [created(), ok(), noContent(), accepted('jobs'), seeOther(), metaResult()]
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 200, 204, 202, 303, 200])
  })
})

class ClosedPolicy extends Policy<Shelf> {
  static override readonly needs = { view: [] }
  override viewAny = () => true
  override view = () => false
  override create = () => false
  override update = () => false
  override delete = () => false
}
