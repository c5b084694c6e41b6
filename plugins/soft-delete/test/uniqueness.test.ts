import { expect } from 'chai'
import type { TestApp } from '#test/support/app.ts'
import { query } from '#test/template/support/idempotency-keys.ts'
import { startCards } from '#test/template/support/library/cards.ts'
import { emptyLibrary } from '#test/template/support/library/index.ts'

describe('Unique values of resources with soft deletes', () => {
  let running: TestApp
  beforeEach(async () => {
    running = await startCards()
    await query('update cards set deleted_at = now() where id = 1')
  })
  afterEach(() => running.close())
  after(emptyLibrary)
  const create = (attributes: object) => running.client.post('/cards', { data: { type: 'cards', attributes } })
  const restore = () => running.client.send('POST', '/cards/1/-actions/restore')

  it('can be taken again after the deletion, by an index and by a rule', async () => {
    expect((await create({ code: 'a' })).status).to.equal(201)
    expect((await create({ code: 'd', handle: 'alpha' })).status).to.equal(201)
    const data = { type: 'cards', id: '3', attributes: { handle: 'alpha' } }
    expect((await running.client.patch('/cards/3', { data })).status).to.equal(422)
  })

  it('are unique among the other resources', async () => {
    const taken = await create({ code: 'b' })
    expect([taken.status, taken.body.errors[0].source]).to.deep.equal([409, { pointer: '/data/attributes/code' }])
    expect((await create({ code: 'd', handle: 'beta' })).status).to.equal(422)
  })

  for (const [by, attributes] of [
    ['a unique index', { code: 'a' }],
    ['uniqueEntity()', { code: 'd', handle: 'alpha' }],
  ] as const) {
    it(`are a 409 without a pointer when restore finds a value taken, by ${by}`, async () => {
      const created = await create(attributes)
      const { status, body } = await restore()
      expect([status, body.errors[0].code]).to.deep.equal([409, 'RESTORE_CONFLICT'])
      expect(body.errors[0]).not.to.have.property('source')
      expect(await query('select id from cards where id = 1 and deleted_at is not null')).to.have.length(1)
      expect((await running.client.delete(`/cards/${created.body.data.id}`)).status).to.equal(204)
      expect((await restore()).status).to.equal(200)
    })
  }

  it('are compared with the values that the trashed row itself has', async () => {
    expect((await restore()).status).to.equal(200)
  })
})
