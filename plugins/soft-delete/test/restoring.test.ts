import { expect } from 'chai'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import { sendBatch } from '#test/support/batch.ts'
import type { ClientResponse } from '#test/support/client.ts'
import { as } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { expectReplay, keyed, query } from '#test/template/support/idempotency-keys.ts'
import { CardPolicy } from '#test/template/support/library/card-policy.ts'
import { type CardOverrides, redTag, startCards } from '#test/template/support/library/cards.ts'
import { emptyLibrary } from '#test/template/support/library/index.ts'

const ada = as('ada')
const errorOf = ({ status, body }: ClientResponse) => [status, body.errors[0].code]
const linksOf = ({ links }: { links: object }) => Object.keys(links)

describe('Actions of resources with soft deletes', () => {
  let running: TestApp
  const start = async (overrides: CardOverrides = {}, options: TestAppOptions = {}) => {
    running = await startCards({ policy: CardPolicy, ...overrides }, options)
    await query('update cards set deleted_at = now() where id = 1')
    return running.client
  }
  const run = (path: string, headers: Record<string, string> = { ...ada }) =>
    running.client.send('POST', path, { headers })
  afterEach(() => running.close())
  after(emptyLibrary)

  describe('restore', () => {
    it('returns 200 with the resource, its relationships and its memberships', async () => {
      const client = await start()
      const { status, body } = await run('/cards/1/-actions/restore?include=tags,deck')
      expect(status).to.equal(200)
      expect(body.data.attributes).to.deep.equal({ code: 'a', handle: 'alpha' })
      expect(body.data).not.to.have.property('meta')
      expect(body.included.map(({ type }: { type: string }) => type)).to.have.members(['tags', 'decks'])
      expect((await client.get('/cards/2')).body.data.relationships.parent.data).to.deep.equal({
        type: 'cards',
        id: '1',
      })
      expect((await client.get('/decks/1/relationships/cards')).body.data).to.have.length(3)
      const marks = await client.get('/cards/1/relationships/marked')
      expect(marks.body.data.map(({ id }: { id: string }) => id)).to.deep.equal([redTag])
    })

    it('returns 409 for a resource that is not trashed', async () => {
      await start()
      expect(errorOf(await run('/cards/2/-actions/restore'))).to.deep.equal([409, 'RESOURCE_NOT_TRASHED'])
    })

    it('returns 404 for an unknown id and for an id that cannot exist', async () => {
      await start()
      for (const id of ['99', 'x', '9e99']) {
        expect(errorOf(await run(`/cards/${id}/-actions/restore`))).to.deep.equal([404, 'RESOURCE_NOT_FOUND'])
      }
    })

    it('returns 404 without the ability for a trashed resource, as for an unknown id, and changes nothing', async () => {
      await start()
      for (const principal of [{}, as('ben')]) {
        const [trashed, unknown] = [
          await run('/cards/1/-actions/restore', { ...principal }),
          await run('/cards/99/-actions/restore', { ...principal }),
        ]
        expect(errorOf(trashed)).to.deep.equal([404, 'RESOURCE_NOT_FOUND'])
        expect(trashed.body.errors[0].detail).to.equal(unknown.body.errors[0].detail.replace('99', '1'))
      }
      expect(await query('select id from cards where id = 1 and deleted_at is not null')).to.have.length(1)
    })

    it('returns 401 and 403 without the ability for a resource that is not trashed', async () => {
      await start()
      expect((await run('/cards/2/-actions/restore', {})).status).to.equal(401)
      expect((await run('/cards/2/-actions/restore', { ...as('ben') })).status).to.equal(403)
    })

    it('returns 403 without the ability for a trashed resource that the requester may view', async () => {
      class ViewerPolicy extends CardPolicy {
        override viewTrashed = () => true
      }
      await start({ policy: ViewerPolicy })
      expect((await run('/cards/1/-actions/restore', { ...as('ben') })).status).to.equal(403)
    })

    it('returns 200 once and 409 once when two requests restore the resource', async () => {
      await start()
      const statuses = await Promise.all(
        [1, 2].map(async () => (await run('/cards/1/-actions/restore?fields[cards]=code')).status),
      )
      expect(statuses.toSorted()).to.deep.equal([200, 409])
    })

    it('shows no other trashed row in its response', async () => {
      await start()
      await query('update cards set deleted_at = now() where id = 2')
      const { status, body } = await run('/cards/2/-actions/restore?include=parent')
      expect([status, body.data.relationships.parent.data, body.included]).to.deep.equal([200, null, []])
    })

    it('compares If-Match with the version of the trashed row', async () => {
      const client = await start()
      const { headers } = await client.get('/cards/1?filter[trashed]=with', ada)
      const restore = '/cards/1/-actions/restore'
      expect((await run(restore, { ...ada, 'if-match': '"0"' })).status).to.equal(412)
      expect((await run(restore, { ...ada, 'if-match': headers.get('etag') as string })).status).to.equal(200)
    })

    it('returns the stored response for a repeated idempotency key', async () => {
      await start()
      const headers = { ...ada, ...keyed() }
      const first = await run('/cards/1/-actions/restore', headers)
      expect(first.status).to.equal(200)
      expectReplay(await run('/cards/1/-actions/restore', headers), first)
    })

    it('works for the program, and not in a batch', async () => {
      const client = await start()
      const href = { op: 'update', href: '/cards/1/-actions/restore', data: { type: 'cards', id: '1' } }
      expect(errorOf(await sendBatch(client, [href]))).to.deep.equal([400, 'ATOMIC_HREF_UNRESOLVABLE'])
      const response = await running.app.dispatch({ action: 'restore', type: 'cards', id: '1' })
      expect(response.status).to.equal(200)
    })
  })

  describe('forceDelete', () => {
    it('returns 204 and leaves neither the row nor rows of join tables', async () => {
      await start()
      await query('update cards set parent_id = null')
      const { status, text } = await run('/cards/1/-actions/forceDelete')
      expect([status, text]).to.deep.equal([204, ''])
      expect(await query('select id from cards where id = 1')).to.deep.equal([])
      expect(await query('select * from card_tags')).to.deep.equal([])
      expect(await query('select * from card_marks')).to.deep.equal([])
      expect(await query('select id from tags')).to.have.length(1)
      expect((await run('/cards/1/-actions/restore')).status).to.equal(404)
    })

    it('returns 409 and deletes nothing when another resource refers to the row', async () => {
      await start()
      await query('alter table cards drop constraint cards_parent_id_foreign')
      await query(
        'alter table cards add constraint cards_parent_id_foreign foreign key (parent_id) references cards (id)',
      )
      try {
        expect(errorOf(await run('/cards/1/-actions/forceDelete'))).to.deep.equal([409, 'CONFLICT'])
        expect(await query('select * from card_marks')).to.have.length(1)
      } finally {
        await query('alter table cards drop constraint cards_parent_id_foreign')
        await query(
          'alter table cards add constraint cards_parent_id_foreign foreign key (parent_id) references cards (id) on delete set null',
        )
      }
    })

    it('returns 401 and 403 without the ability, and 404 for a trashed resource', async () => {
      await start()
      expect((await run('/cards/2/-actions/forceDelete', {})).status).to.equal(401)
      expect((await run('/cards/2/-actions/forceDelete', { ...as('ben') })).status).to.equal(403)
      for (const principal of [{}, as('ben')]) {
        expect((await run('/cards/1/-actions/forceDelete', { ...principal })).status).to.equal(404)
      }
      expect(await query('select id from cards')).to.have.length(3)
    })

    it('deletes a resource that is not trashed, after its hook beforeDelete', async () => {
      const calls: string[] = []
      await start({
        beforeDelete({ code }) {
          calls.push(`beforeDelete ${code}`)
          if (code === 'c') throw new Error('No.')
        },
        beforeForceDelete: ({ code }) => void calls.push(`beforeForceDelete ${code}`),
        afterDelete: ({ code }) => void calls.push(`afterDelete ${code}`) as undefined,
        afterForceDelete: ({ code }) => void calls.push(`afterForceDelete ${code}`),
      })
      expect((await run('/cards/2/-actions/forceDelete')).status).to.equal(204)
      expect((await run('/cards/3/-actions/forceDelete')).status).to.equal(500)
      expect((await query('select code from cards order by id')).map(({ code }) => code)).to.deep.equal(['a', 'c'])
      expect(calls).to.deep.equal([
        'beforeDelete b',
        'beforeForceDelete b',
        'afterDelete b',
        'afterForceDelete b',
        'beforeDelete c',
      ])
    })
  })

  it('call the hooks of restore and forceDelete, each within the hooks of actions', async () => {
    const calls: string[] = []
    const note = (name: string) => (entity: { code: string } | null) => void calls.push(`${name} ${entity?.code}`)
    await start({
      beforeAction: note('beforeAction') as never,
      beforeRestore: note('beforeRestore'),
      afterAction: note('afterAction') as never,
      afterRestore: note('afterRestore'),
      afterSave: note('afterSave') as never,
      beforeDelete: note('beforeDelete'),
      beforeForceDelete: note('beforeForceDelete'),
      afterForceDelete: note('afterForceDelete'),
    })
    await query('update cards set parent_id = null')
    await run('/cards/1/-actions/restore')
    await run('/cards/1/-actions/restore')
    await query('update cards set deleted_at = now() where id = 1')
    await run('/cards/1/-actions/forceDelete')
    expect(calls).to.deep.equal([
      'beforeAction a',
      'beforeRestore a',
      'afterAction a',
      'afterRestore a',
      'afterSave a',
      'beforeAction a',
      'beforeForceDelete a',
      'afterAction a',
      'afterForceDelete a',
    ])
  })

  it('roll back when a hook throws', async () => {
    const refuse = () => {
      throw new Error('No.')
    }
    await start({ beforeRestore: refuse, beforeForceDelete: refuse })
    expect((await run('/cards/1/-actions/restore')).status).to.equal(500)
    expect((await run('/cards/1/-actions/forceDelete')).status).to.equal(500)
    expect(await query('select id from cards where id = 1 and deleted_at is not null')).to.have.length(1)
  })

  it('are linked for requesters with the ability: restore on trashed resources, forceDelete on all', async () => {
    const client = await start()
    const { body } = await client.get('/cards?filter[trashed]=with', ada)
    expect(body.data.map(linksOf)).to.deep.equal([
      ['self', 'restore', 'forceDelete'],
      ['self', 'forceDelete'],
      ['self', 'forceDelete'],
    ])
    expect(body.data[0].links.restore).to.equal(`${client.url}/cards/1/-actions/restore`)
    const others = await client.get('/cards', as('ben'))
    expect(others.body.data.map(linksOf)).to.deep.equal([['self'], ['self']])
  })

  it('are linked without a statement per row when the policy reads the row', async () => {
    class ByRow extends CardPolicy {
      static override readonly needs = { ...CardPolicy.needs, restore: ['code'], forceDelete: ['code'] }
      override restore = ((_: unknown, { code }: { code: string }) => code === 'a') as never
      override forceDelete = ((_: unknown, { code }: { code: string }) => code === 'b') as never
    }
    const client = await start({ policy: ByRow })
    const path = '/cards?filter[trashed]=with&fields[cards]=handle'
    const statements = await statementsOf(async () => {
      const { body } = await client.get(path, ada)
      expect(body.data.map(linksOf)).to.deep.equal([['self', 'restore'], ['self', 'forceDelete'], ['self']])
    })
    expect(statements).to.have.length(1)
    expect((await run('/cards/1/-actions/restore')).status).to.equal(200)
    expect((await run('/cards/1/-actions/forceDelete')).status).to.equal(403)
  })
})
