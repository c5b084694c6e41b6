import { expect } from 'chai'
import type { TestApp } from '#test/support/app.ts'
import { atomicMediaType } from '#test/support/batch.ts'
import { type Client, mediaType } from '#test/support/client.ts'
import { query } from '#test/template/support/idempotency-keys.ts'
import { startCards } from '#test/template/support/library/cards.ts'
import { emptyLibrary } from '#test/template/support/library/index.ts'
import { versionsProfile } from '../index.ts'

// A deck deletes the cards that leave it.

describe('requireIfMatch of members that a write of their parent deletes', () => {
  const path = '/decks/1/relationships/cards'
  const removal = { data: [{ type: 'cards', id: '3' }] }
  const replacement = { data: { type: 'decks', id: '1', relationships: { cards: { data: [] } } } }
  let cards: TestApp
  let client: Client
  beforeEach(async () => {
    cards = await startCards({ requireIfMatch: true, softDeletes: false })
    client = cards.client
  })
  afterEach(() => cards.close())
  after(emptyLibrary)

  const tagOf = async (url: string) => (await client.get(url)).headers.get('etag') as string
  const idsOf = async () => (await query('select id from cards order by id')).map(({ id }) => id)

  it('returns 428 without If-Match, and deletes nothing', async () => {
    for (const response of [
      await client.delete(path, removal),
      await client.patch(path, { data: [] }),
      await client.patch('/decks/1', replacement),
    ]) {
      expect([response.status, response.body.errors[0].code]).to.deep.equal([428, 'PRECONDITION_REQUIRED'])
      expect(response.body.errors[0].detail).to.match(/^Writes of 'cards' need If-Match/)
      expect(response.body.errors[0].source).to.deep.equal({ header: 'If-Match' })
    }
    expect(await idsOf()).to.deep.equal([1, 2, 3])
  })

  it('returns 200 with the version of the linkage or of the parent, and 412 with another one', async () => {
    const remove = async (tag: string) => (await client.delete(path, removal, { 'if-match': tag })).status
    expect([await remove('"0-0"'), await remove(await tagOf(path))]).to.deep.equal([412, 200])
    expect(await idsOf()).to.deep.equal([1, 2])
    await query('delete from card_marks')
    await query('delete from card_tags')
    const replaced = await client.patch('/decks/1', replacement, { 'if-match': await tagOf('/decks/1') })
    expect(replaced.status, replaced.text).to.equal(200)
    expect(await idsOf()).to.deep.equal([])
  })

  it('returns 428 in a batch without meta.version of the operation', async () => {
    const versioned = `${mediaType}; profile="${versionsProfile}"`
    const { meta } = (await client.get(path, { accept: versioned })).body
    const send = (ref: object) => {
      const operations = [{ op: 'remove', ref: { type: 'decks', id: '1', relationship: 'cards', ...ref }, ...removal }]
      const type = `${atomicMediaType}; profile="${versionsProfile}"`
      return client.post('/operations', { 'atomic:operations': operations }, { 'content-type': type, accept: type })
    }
    const refused = await send({})
    expect([refused.status, refused.body.errors[0].code]).to.deep.equal([428, 'PRECONDITION_REQUIRED'])
    const accepted = await send({ meta })
    expect(accepted.status, accepted.text).to.equal(204)
    expect(await idsOf()).to.deep.equal([1, 2])
  })

  it('does not apply to members that move, nor to operations of the program', async () => {
    expect((await client.post('/decks/2/relationships/cards', removal)).status).to.equal(200)
    await query('delete from card_marks')
    await query('delete from card_tags')
    const data: [] = []
    const emptied = { kind: 'UpdateRelationship', type: 'decks', id: '1', relation: 'cards', data } as const
    expect((await cards.app.dispatch(emptied)).status).to.equal(200)
    expect(await idsOf()).to.deep.equal([3])
  })
})
