import { expect } from 'chai'
import type { Principal } from '#kernel'
import { meta, noContent } from '#plugins/actions/index.ts'
import { type Needs, Policy, type PolicyContext, type PolicyRow } from '#plugins/authorization/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { as } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import type { Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase } from '#test/template/support/library/index.ts'
import { startShelves } from '#test/template/support/library/shelves.ts'

/** Ada may rename the first shelf, and Ben every shelf; both may dust. */
class ShelfPolicy extends Policy<Shelf> {
  static override readonly needs = {
    view: [],
    update: [],
    delete: [],
    rename: ['name'],
    dust: [],
    leave: [],
  } satisfies Needs<Shelf>

  override scope = () => ({ name: { $ne: 'Hidden' } })
  override viewAny = () => true
  override view = () => true
  override create = () => true
  override update = () => true
  override delete = () => true
  rename(principal: Principal | null, { name }: PolicyRow<Shelf>) {
    return principal?.identifier === 'ben' || (principal?.identifier === 'ada' && name === 'Fiction')
  }
  dust = (principal: Principal | null) => principal !== null
  count = (...[principal, context]: [Principal | null, PolicyContext]) => context.principal === principal
  leave = () => true
  unclear = () => undefined as never
}

describe('Actions: authorization', () => {
  let library: TestApp
  before(async () => {
    library = await startShelves({
      policy: ShelfPolicy,
      actions: ({ action }) => [
        action('rename', { answers: 'noContent', asLink: true, handle: () => noContent() }),
        action('dust', { answers: 'noContent', asLink: true, handle: () => noContent() }),
        action('sweep', { answers: 'noContent', ability: 'dust', handle: () => noContent() }),
        action('tally', { on: 'collection', ability: 'dust', answers: 'meta', handle: () => meta({}) }),
        action('count', { on: 'collection', answers: 'meta', handle: () => meta({}) }),
        action('unclear', { answers: 'noContent', asLink: true, handle: () => noContent() }),
        action('leave', {
          answers: 'noContent',
          handle({ subject }) {
            subject.name = 'Hidden'
            return noContent()
          },
        }),
      ],
    })
    const connection = (await libraryDatabase()).orm.em.getConnection()
    await connection.execute(`insert into shelves (name) values ('Hidden')`)
    await connection.execute(`insert into books (title, shelf_id) select 'Book ' || n, 2 from generate_series(1, 20) n`)
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })
  const post = (path: string, headers = {}) => library.client.send('POST', `/shelves/${path}`, { headers })

  it('returns 401 without a principal and 403 with one when the policy method denies', async () => {
    expect((await post('1/-actions/rename')).status).to.equal(401)
    expect((await post('1/-actions/rename', as('ada'))).status).to.equal(204)
    expect((await post('2/-actions/rename', as('ada'))).status).to.equal(403)
    expect((await post('2/-actions/rename', as('ben'))).status).to.equal(204)
  })

  it('denies every requester when the policy method returns neither true nor false', async () => {
    expect((await post('1/-actions/unclear', as('ben'))).status).to.equal(403)
  })

  it('calls the method that `ability` names, without a row for an action of the collection', async () => {
    expect((await post('1/-actions/sweep')).status).to.equal(401)
    expect((await post('1/-actions/sweep', as('ada'))).status).to.equal(204)
    expect((await post('-actions/tally')).status).to.equal(401)
    expect((await post('-actions/tally', as('ada'))).status).to.equal(200)
  })

  it('calls the method of an action of the collection with principal and context', async () => {
    expect((await post('-actions/count', as('ada'))).status).to.equal(200)
  })

  it('returns 404 for a subject outside of the scope', async () => {
    expect((await post('3/-actions/rename', as('ben'))).status).to.equal(404)
  })

  it('returns 403 and rolls back when the handler moves the subject out of the scope', async () => {
    expect((await post('2/-actions/leave', as('ada'))).status).to.equal(403)
    expect((await library.client.get('/shelves/2')).body.data.attributes.name).to.equal('Poetry')
  })

  describe('links', () => {
    const paths = ['/shelves', '/shelves/1', '/shelves/2', '/books?include=shelf', '/books/1/shelf']
    for (const principal of [null, 'ada', 'ben']) {
      const headers = principal === null ? {} : as(principal)
      for (const path of paths) {
        it(`shows a link exactly when the call is allowed: ${path}, ${principal ?? 'anonymous'}`, async () => {
          const { body } = await library.client.get(path, headers)
          const shown = [body.data, body.included ?? []].flat().filter(({ type }) => type === 'shelves')
          expect(shown).not.to.deep.equal([])
          for (const { id, links } of shown) {
            for (const name of ['rename', 'dust', 'unclear']) {
              const url = `${library.client.url}/shelves/${id}/-actions/${name}`
              const { status } = await library.client.send('POST', url, { headers })
              expect(links[name], `${name} of ${id}`).to.equal(status === 204 ? url : undefined)
            }
            expect(links).not.to.have.any.keys('sweep', 'leave')
          }
        })
      }
    }

    it('sends no statement for links, whatever the number of rows', async () => {
      expect(await statementsOf(() => library.client.get('/shelves?include=books', as('ben')))).to.have.length(2)
      const sparse = await statementsOf(() => library.client.get('/shelves?fields[shelves]=books', as('ben')))
      expect(sparse).to.have.length(1)
    })

    it('shows links in responses to writes and in batches', async () => {
      const created = await library.client.post(
        '/shelves',
        { data: { type: 'shelves', attributes: { name: 'Fiction' } } },
        as('ada'),
      )
      expect(created.body.data.links.rename).to.equal(`${created.body.data.links.self}/-actions/rename`)
      const atomic = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'
      const add = { op: 'add', data: { type: 'shelves', attributes: { name: 'Fiction' } } }
      const { body } = await library.client.post(
        '/operations',
        { 'atomic:operations': [add, add] },
        { ...as('ada'), accept: atomic, 'content-type': atomic },
      )
      for (const { data } of body['atomic:results']) expect(data.links.rename).to.match(/-actions\/rename$/)
    })

    it('sets Vary: Authorization on responses with links', async () => {
      expect((await library.client.get('/shelves/1')).headers.get('vary')).to.contain('Authorization')
    })
  })

  it('allows actions of a type with policy: open to every requester', async () => {
    const open = await startShelves({
      actions: ({ action }) => [action('dust', { answers: 'noContent', asLink: true, handle: () => noContent() })],
    })
    expect((await open.client.send('POST', '/shelves/1/-actions/dust')).status).to.equal(204)
    expect((await open.client.get('/shelves/1')).body.data.links).to.have.property('dust')
    await open.close()
  })
})
