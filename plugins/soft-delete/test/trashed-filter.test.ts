import { expect } from 'chai'
import type { Context, Principal } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import type { ClientResponse } from '#test/support/client.ts'
import { as } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { query } from '#test/template/support/idempotency-keys.ts'
import { CardPolicy } from '#test/template/support/library/card-policy.ts'
import { type CardOverrides, startCards } from '#test/template/support/library/cards.ts'
import { emptyLibrary } from '#test/template/support/library/index.ts'

const ada = as('ada')
const idsOf = ({ body }: ClientResponse) => body.data.map(({ id }: { id: string }) => id)
/** The status and the errors without their ids, with another name of the filter. */
const errorsOf = ({ status, text }: ClientResponse) => [
  status,
  JSON.parse(text.replaceAll('trashed', 'thrashed')).errors.map(({ id: _, ...error }: { id: string }) => error),
]

describe('filter[trashed]', () => {
  let running: TestApp
  const start = async (overrides: CardOverrides = {}) => {
    running = await startCards({ policy: CardPolicy, ...overrides })
    await query('update cards set deleted_at = now() where id = 1')
    return running.client
  }
  afterEach(() => running.close())
  after(emptyLibrary)

  it('adds trashed resources to a collection with `with`, and leaves out others with `only`', async () => {
    const client = await start()
    expect(idsOf(await client.get('/cards?filter[trashed]=with', ada))).to.deep.equal(['1', '2', '3'])
    expect(idsOf(await client.get('/cards?filter[trashed]=only', ada))).to.deep.equal(['1'])
    expect(idsOf(await client.get('/cards?filter[trashed]=with&filter[code]=b', ada))).to.deep.equal(['2'])
    expect(idsOf(await client.get('/cards?filter%5Btr%61shed%5D=only', ada))).to.deep.equal(['1'])
    const counted = await client.get('/cards?filter[trashed]=with&withCount=_self_&page[size]=1', ada)
    expect(counted.body.meta.page.total).to.equal(3)
    expect(idsOf(await client.get(counted.body.links.next, ada))).to.deep.equal(['2'])
  })

  it('marks trashed resources with meta.trashed, and no others', async () => {
    const client = await start()
    const { body } = await client.get('/cards?filter[trashed]=with', ada)
    expect(body.data.map(({ meta }: { meta?: object }) => meta)).to.deep.equal([
      { trashed: true },
      undefined,
      undefined,
    ])
  })

  it('shows a trashed resource at its URL, the only filter that is accepted there', async () => {
    const client = await start()
    for (const value of ['with', 'only']) {
      const { status, body } = await client.get(`/cards/1?filter[trashed]=${value}&fields[cards]=code`, ada)
      expect([status, body.data.meta, body.data.attributes]).to.deep.equal([200, { trashed: true }, { code: 'a' }])
    }
    const live = await client.get('/cards/2?filter[trashed]=with', ada)
    expect([live.status, live.body.data.meta]).to.deep.equal([200, undefined])
    expect((await client.get('/cards/2?filter[trashed]=only', ada)).status).to.equal(404)
    expect((await client.get('/cards/99?filter[trashed]=with', ada)).status).to.equal(404)
    const other = await client.get('/cards/1?filter[trashed]=with&filter[code]=a', ada)
    expect([other.status, other.body.errors.length]).to.deep.equal([400, 1])
    expect(other.body.errors[0].source).to.deep.equal({ parameter: 'filter[code]' })
    expect(other.body.errors[0].detail).to.include('trashed')
  })

  it('shows trashed members at the related URL, not in linkage and relatedQuery', async () => {
    const client = await start()
    expect(idsOf(await client.get('/decks/1/cards?filter[trashed]=with', ada))).to.deep.equal(['1', '2', '3'])
    expect(idsOf(await client.get('/decks/1/cards?filter[trashed]=only', ada))).to.deep.equal(['1'])
    expect((await client.get('/decks/1/relationships/cards?filter[trashed]=with', ada)).status).to.equal(400)
    expect((await client.get('/decks/1?filter[trashed]=with', ada)).status).to.equal(400)
    const profile = running.app.servers[0]?.profiles.find((name) => /relationship/.test(name))
    const accept = { ...ada, accept: `application/vnd.api+json; profile="${profile}"` }
    const related = await client.get('/decks/1?include=cards&relatedQuery[cards][filter][trashed]=with', accept)
    expect(related.status, related.text).to.equal(400)
  })

  it('returns 400, as for an unknown filter, without the ability viewTrashed', async () => {
    const client = await start()
    for (const path of ['/cards', '/cards/1', '/cards/2', '/cards/99', '/decks/1/cards']) {
      for (const rest of ['=with', '=only', '=nonsense', '[]=with', '=with&filter[nope]=1', '=with&sort=nope']) {
        for (const headers of [{}, as('ben')]) {
          const sent = await client.get(`${path}?filter[trashed]${rest}`, headers)
          const unknown = await client.get(`${path}?filter[thrashed]${rest}`, headers)
          expect(errorsOf(sent), path + rest).to.deep.equal(errorsOf(unknown))
          expect(sent.status).to.equal(400)
        }
      }
    }
    const { body } = await client.get('/cards?filter[nope]=1')
    expect(body.errors[0].detail).not.to.include('trashed')
  })

  it('returns 400 for another value, and names the accepted ones', async () => {
    const client = await start()
    for (const sent of ['=', '=without', '[]=with', '[with]=1', '=with,only']) {
      const { status, body } = await client.get(`/cards?filter[trashed]${sent}`, ada)
      expect([status, body.errors[0].code], sent).to.deep.equal([400, 'FILTER_VALUE_INVALID'])
    }
    expect((await client.get('/cards?filter[trashed]=x', ada)).body.errors[0].detail).to.include("'with' or 'only'")
    const german = await client.get('/cards?filter[trashed]=x', { ...ada, 'accept-language': 'de' })
    expect(german.body.errors[0].detail).to.include('„with“ oder „only“')
  })

  it('returns 400 on writes', async () => {
    const client = await start()
    const data = { type: 'cards', id: '2', attributes: { code: 'z' } }
    expect((await client.patch('/cards/2?filter[trashed]=with', { data }, { ...ada })).status).to.equal(400)
    expect((await client.delete('/cards/1?filter[trashed]=with', undefined, { ...ada })).status).to.equal(400)
    const restore = await client.send('POST', '/cards/1/-actions/restore?filter[trashed]=with', { headers: { ...ada } })
    expect(restore.status).to.equal(400)
  })

  it('is unknown to all requesters when the policy has no method viewTrashed', async () => {
    class Silent extends CardPolicy {
      override viewTrashed = undefined as never
    }
    const client = await start({ policy: Silent })
    expect((await client.get('/cards?filter[trashed]=with', ada)).status).to.equal(400)
  })

  it('awaits the policy and passes the principal and the context without a row', async () => {
    const received: unknown[][] = []
    class Slow extends CardPolicy {
      override viewTrashed = (async (...args: readonly [Principal | null, Context]) => {
        received.push([args.length, args[0]?.identifier, args[1].server.name])
        const [row] = await args[1].unit.em.getConnection().execute('select 1 as one')
        return row.one === 1
      }) as never
    }
    const client = await start({ policy: Slow })
    expect(idsOf(await client.get('/cards?filter[trashed]=only', ada))).to.deep.equal(['1'])
    expect(received).to.deep.equal([[2, 'ada', 'default']])
  })

  it('is available to the program, and to a principal with the ability', async () => {
    await start()
    const { app } = running
    const instruction = { kind: 'FetchCollection', type: 'cards', query: 'filter[trashed]=only' } as const
    const trusted = await app.dispatch(instruction)
    expect(trusted).to.have.nested.property('data.length', 1)
    const principal = { identifier: 'ada', roles: [] }
    expect(await app.dispatch({ ...instruction, principal })).to.have.nested.property('data.length', 1)
    const error = await app.dispatch({ ...instruction, principal: null }).catch((thrown: Error) => thrown)
    expect(error).to.have.nested.property('definition.code', 'FILTERING_UNRECOGNIZED')
  })

  it('sends no more statements than the same request without it', async () => {
    const client = await start()
    const count = async (path: string) => (await statementsOf(() => client.get(path, ada))).length
    expect(await count('/cards?filter[trashed]=with')).to.equal(await count('/cards'))
    expect(await count('/cards/2?filter[trashed]=with')).to.equal(await count('/cards/2'))
  })

  it('is a 400 and DELETE deletes the row when the type has no soft deletes', async () => {
    const client = await start({ softDeletes: false })
    expect((await client.get('/cards?filter[trashed]=with', ada)).status).to.equal(400)
    expect((await client.delete('/cards/3')).status).to.equal(204)
    expect(await query('select id from cards where id = 3')).to.deep.equal([])
    expect((await client.send('POST', '/cards/1/-actions/restore', { headers: { ...ada } })).status).to.equal(404)
  })
})
