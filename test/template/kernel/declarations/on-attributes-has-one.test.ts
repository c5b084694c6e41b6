import { expect } from 'chai'
import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { query } from '#test/template/support/idempotency-keys.ts'
import { Label, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string, hasOne }) => [id(), string('name'), hasOne('label', 'labels'), string('text').on('label')],
  policy: open,
})
const labels = defineResource(Label, {
  type: 'labels',
  fields: ({ id, string }) => [id(), string('text')],
  policy: open,
})

describe('An on() attribute behind a hasOne, sent together with the hasOne', () => {
  let running: TestApp
  const texts = () => query('select id, text, shelf_id from labels order by id')
  const send = (label: object | null) =>
    running.client.patch('/shelves/1', {
      data: { type: 'shelves', id: '1', attributes: { text: 'new' }, relationships: { label: { data: label } } },
    })

  beforeEach(async () => {
    await emptyLibrary()
    await query(`insert into shelves (name) values ('A')`)
    await query(`insert into labels (text, shelf_id) values ('old', 1), ('other', null)`)
    running = await startLibrary({
      resources: [shelves, labels].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource })),
    })
  })
  afterEach(() => running.close())
  after(emptyLibrary)

  it('PATCH writes the new owner, and leaves the displaced one unchanged', async () => {
    const { status, body } = await send({ type: 'labels', id: '2' })
    expect(status).to.equal(200)
    expect(await texts()).to.deep.equal([
      { id: 1, text: 'old', shelf_id: null },
      { id: 2, text: 'new', shelf_id: 1 },
    ])
    expect(body.data.attributes.text).to.equal('new')
  })

  it('PATCH with null is a 422, and does not change the owner that leaves', async () => {
    const { status } = await send(null)
    expect(await texts()).to.deep.equal([
      { id: 1, text: 'old', shelf_id: 1 },
      { id: 2, text: 'other', shelf_id: null },
    ])
    expect(status).to.equal(422)
  })

  it('POST writes the owner that the document names', async () => {
    const { status, text } = await running.client.post('/shelves', {
      data: {
        type: 'shelves',
        attributes: { name: 'B', text: 'new' },
        relationships: { label: { data: { type: 'labels', id: '2' } } },
      },
    })
    expect(status, text).to.equal(201)
    expect((await texts())[1]).to.include({ text: 'new' })
  })
})
