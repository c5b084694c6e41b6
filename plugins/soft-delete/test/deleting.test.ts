import { expect } from 'chai'
import { Policy } from '#plugins/authorization/index.ts'
import { softDelete } from '#plugins/soft-delete/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { sendBatch } from '#test/support/batch.ts'
import { pluginsWithTokens } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { expectReplay, keyed, query } from '#test/template/support/idempotency-keys.ts'
import { type CardOverrides, cardsWith, redTag, startCards } from '#test/template/support/library/cards.ts'
import { emptyLibrary } from '#test/template/support/library/index.ts'

const at = new Date('2026-03-04T05:06:07.089Z')
const plugins = pluginsWithTokens('ada').map((plugin) =>
  plugin.name === 'soft-delete' ? softDelete({ now: () => at }) : plugin,
)
const idsOf = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id)
const deletedAt = async (id: number) => (await query('select deleted_at from cards where id = ?', [id]))[0]?.deleted_at

describe('DELETE of a resource with soft deletes', () => {
  let running: TestApp
  const start = async (overrides: CardOverrides = {}) => {
    running = await startCards(overrides, { plugins })
    return running.client
  }
  afterEach(() => running.close())
  after(emptyLibrary)

  it('returns 204, sets the time and keeps the row and its memberships', async () => {
    const client = await start()
    const { status, text } = await client.delete('/cards/1')
    expect([status, text]).to.deep.equal([204, ''])
    expect(new Date(String(await deletedAt(1))).toISOString()).to.equal(at.toISOString())
    expect(await query('select * from card_tags')).to.have.length(1)
    expect(await query('select * from card_marks')).to.have.length(1)
  })

  it('returns 404 for every later request of the resource', async () => {
    const client = await start()
    await client.delete('/cards/1')
    const data = { type: 'cards', id: '1', attributes: { code: 'x' } }
    for (const response of [
      await client.get('/cards/1'),
      await client.get('/cards/1/deck'),
      await client.get('/cards/1/relationships/tags'),
      await client.patch('/cards/1', { data }),
      await client.delete('/cards/1'),
      await client.post('/cards/1/relationships/tags', { data: [{ type: 'tags', id: redTag }] }),
    ]) {
      expect(response.status, response.text).to.equal(404)
      expect(response.body.errors[0].code).to.equal('RESOURCE_NOT_FOUND')
    }
  })

  it('removes the resource from collections, linkage, includes, counts, cursors and filters', async () => {
    const client = await start()
    await client.delete('/cards/1')
    expect(idsOf(await client.get('/cards'))).to.deep.equal(['2', '3'])
    expect(idsOf(await client.get('/cards?filter[code]=a'))).to.deep.equal([])
    expect((await client.get('/cards?withCount=_self_')).body.meta.page.total).to.equal(2)
    expect(idsOf(await client.get('/decks/1/cards'))).to.deep.equal(['2', '3'])
    expect(idsOf(await client.get('/decks/1/relationships/cards'))).to.deep.equal(['2', '3'])
    const deck = await client.get('/decks/1?include=cards&withCount=cards')
    expect(deck.body.included.map(({ id }: { id: string }) => id)).to.deep.equal(['2', '3'])
    expect(deck.body.data.relationships.cards.meta).to.deep.equal({ total: 2 })
    const child = await client.get('/cards/2?include=parent')
    expect(child.body.data.relationships.parent.data).to.equal(null)
    expect(child.body.included).to.deep.equal([])
    expect((await client.get('/cards/2/parent')).body.data).to.equal(null)
  })

  it('returns 404 when a write refers to the trashed resource', async () => {
    const client = await start()
    await client.delete('/cards/1')
    const parent = { data: { type: 'cards', id: '1' } }
    const data = { type: 'cards', attributes: { code: 'd' }, relationships: { parent } }
    expect((await client.post('/cards', { data })).status).to.equal(404)
    expect((await client.patch('/cards/3/relationships/parent', parent)).status).to.equal(404)
    expect((await client.post('/decks/2/relationships/cards', { data: [parent.data] })).status).to.equal(404)
  })

  it('keeps the membership of a trashed resource when the members are replaced', async () => {
    const client = await start()
    await client.delete('/cards/1')
    const { status } = await client.patch('/decks/1/relationships/cards', { data: [{ type: 'cards', id: '2' }] })
    expect(status).to.equal(200)
    expect(await query('select id, deck_id from cards where id = 1')).to.deep.equal([{ id: 1, deck_id: 1 }])
  })

  it('moves an orphan to the trash when its membership ends', async () => {
    const client = await start()
    const { status } = await client.patch('/decks/1/relationships/cards', { data: [{ type: 'cards', id: '2' }] })
    expect(status).to.equal(200)
    expect(await query('select id, deleted_at is null as live from cards order by id')).to.deep.equal([
      { id: 1, live: false },
      { id: 2, live: true },
      { id: 3, live: false },
    ])
  })

  it('works in a batch, whose later operations do not find the resource', async () => {
    const client = await start()
    const remove = { op: 'remove', ref: { type: 'cards', id: '1' } }
    const add = { op: 'add', data: { type: 'cards', attributes: { code: 'a' } } }
    expect((await sendBatch(client, [remove, remove])).status).to.equal(404)
    expect(await deletedAt(1)).to.equal(null)
    expect((await sendBatch(client, [remove, add])).status).to.equal(200)
    expect(idsOf(await client.get('/cards')))
      .to.have.length(3)
      .and.not.include('1')
  })

  it('works for the program, which does not find the resource afterwards', async () => {
    await start()
    const { app } = running
    await app.dispatch({ kind: 'Delete', type: 'cards', id: '1' })
    expect(await deletedAt(1)).not.to.equal(null)
    const error = await app.dispatch({ kind: 'FetchOne', type: 'cards', id: '1' }).catch((thrown: Error) => thrown)
    expect(error).to.have.nested.property('definition.code', 'RESOURCE_NOT_FOUND')
  })

  it('calls beforeDelete, afterDelete and afterSave, and rolls back if beforeDelete throws', async () => {
    const calls: string[] = []
    const client = await start({
      beforeDelete: ({ code, deletedAt: time }) => {
        calls.push(`before ${code} ${time}`)
        if (code === 'b') throw new Error('No.')
      },
      afterDelete: ({ code }) => void calls.push(`after ${code}`) as undefined,
      afterSave: ({ code, deletedAt: time }) => void calls.push(`saved ${code} ${time !== null}`) as undefined,
    })
    expect((await client.delete('/cards/1')).status).to.equal(204)
    expect((await client.delete('/cards/2')).status).to.equal(500)
    expect(await deletedAt(2)).to.equal(null)
    expect(calls).to.deep.equal(['before a null', 'after a', 'saved a true', 'before b null'])
  })

  it('returns 412 for another version in If-Match, 204 for the current one', async () => {
    const client = await start()
    const { headers } = await client.get('/cards/1')
    const old = { 'if-match': '"0"' }
    expect((await client.delete('/cards/1', undefined, old)).status).to.equal(412)
    const current = { 'if-match': headers.get('etag') as string }
    expect((await client.delete('/cards/1', undefined, current)).status).to.equal(204)
  })

  it('returns the stored response for a repeated idempotency key', async () => {
    const client = await start()
    const key = keyed()
    const first = await client.delete('/cards/1', undefined, key)
    expectReplay(await client.delete('/cards/1', undefined, key), first)
  })

  it('sends as many statements as a deletion without soft deletes, and reads send none more', async () => {
    const statements = async () => {
      const counts: number[] = []
      for (const [method, path] of [
        ['GET', '/cards?include=deck,parent,tags'],
        ['GET', '/cards/1'],
        ['GET', '/decks/1/cards'],
        ['DELETE', '/cards/3'],
      ] as const) {
        counts.push((await statementsOf(() => running.client.send(method, path))).length)
      }
      return counts
    }
    await start()
    const soft = await statements()
    await running.close()
    running = await startCards({ softDeletes: false }, { plugins })
    expect(soft).to.deep.equal(await statements())
  })

  it('excludes rows of the same entity from the collections of other types', async () => {
    const copies = cardsWith({ type: 'copies', softDeletes: false }).slice(0, 1)
    running = await startCards({}, { plugins, resources: [...cardsWith({}), ...copies] })
    await running.client.delete('/cards/1')
    expect(idsOf(await running.client.get('/copies'))).to.deep.equal(['2', '3'])
    expect((await running.client.delete('/copies/2')).status).to.equal(204)
    expect(await deletedAt(2)).not.to.equal(null)
    expect((await running.client.get('/copies?filter[trashed]=with')).status).to.equal(400)
  })

  it('hides trashed rows without the plugin authorization', async () => {
    running = await startCards({}, { plugins, disabled: ['authorization'] })
    await running.client.delete('/cards/1')
    expect(idsOf(await running.client.get('/cards'))).to.deep.equal(['2', '3'])
    expect(idsOf(await running.client.get('/cards?filter[trashed]=only'))).to.deep.equal(['1'])
  })

  it('joins the scope of the policy', async () => {
    class Scoped extends Policy {
      static override readonly needs = { view: [], update: [], delete: [], restore: [], forceDelete: [] }
      override scope = () => ({ code: { $ne: 'b' } })
      override viewAny = () => true
      override view = () => true
      override create = () => true
      override update = () => true
      override delete = () => true
      restore = () => true
      forceDelete = () => true
      viewTrashed = () => true
    }
    const client = await start({ policy: Scoped })
    await client.delete('/cards/1')
    await query(`update cards set deleted_at = now() where code = 'b'`)
    expect(idsOf(await client.get('/cards'))).to.deep.equal(['3'])
    expect(idsOf(await client.get('/cards?filter[trashed]=with'))).to.deep.equal(['1', '3'])
    expect((await client.send('POST', '/cards/2/-actions/restore')).status).to.equal(404)
    expect((await client.send('POST', '/cards/2/-actions/forceDelete')).status).to.equal(404)
  })
})
