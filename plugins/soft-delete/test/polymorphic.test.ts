import { expect } from 'chai'
import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { query } from '#test/template/support/idempotency-keys.ts'
import { Box } from '#test/template/support/library/boxes.ts'
import { Book, Label } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

const softDeletes = { property: 'removedAt' } as const
const resources = [
  defineResource(Box, {
    type: 'boxes',
    fields: ({ id, string, morphToMany }) => [
      id(),
      string('name'),
      morphToMany('contents', ['books', 'labels']).throughProperty('thing'),
    ],
    policy: open,
    softDeletes,
  }),
  defineResource(Book, {
    type: 'books',
    fields: ({ id, string }) => [id().allowClientId(), string('title')],
    policy: open,
    softDeletes,
  }),
  defineResource(Label, { type: 'labels', fields: ({ id, string }) => [id(), string('text')], policy: open }),
].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))

describe('forceDelete and a polymorphic to-many', () => {
  beforeEach(async () => {
    await emptyLibrary()
    await query(`insert into books (id, title) values (101, 'Emma')`)
    await query(`insert into boxes (id, name) values (101, 'Attic')`)
    await query(`insert into box_items (box_id, thing_type, thing_id, position) values (101, 'books', 101, 1)`)
  })
  after(emptyLibrary)

  it('deletes the entries of a member: a new resource with its id is in no box', async () => {
    const { client, close } = await startLibrary({ resources })
    try {
      expect((await client.send('POST', '/books/101/-actions/forceDelete')).status).to.equal(204)
      const data = { type: 'books', id: '101', attributes: { title: 'Another' } }
      expect((await client.post('/books', { data })).status).to.equal(201)
      expect((await client.get('/boxes/101/relationships/contents')).body.data).to.deep.equal([])
      expect(await query('select * from box_items')).to.deep.equal([])
    } finally {
      await close()
    }
  })

  it('deletes the entries of the parent', async () => {
    const { client, close } = await startLibrary({ resources })
    try {
      const { status, text } = await client.send('POST', '/boxes/101/-actions/forceDelete')
      expect(status, text).to.equal(204)
      expect(await query('select * from box_items')).to.deep.equal([])
    } finally {
      await close()
    }
  })
})
