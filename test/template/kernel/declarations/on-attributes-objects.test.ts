import { expect } from 'chai'
import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { query } from '#test/template/support/idempotency-keys.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'
import { Sample, Specimen } from '#test/template/support/library/specimens.ts'

const resources = [
  defineResource(Specimen, {
    type: 'specimens',
    fields: ({ id, obj, string }) => [
      id(),
      obj('json', string('a').nullable(), string('b').nullable(), string('c').readOnly()).nullable(),
    ],
    policy: open,
  }),
  defineResource(Sample, {
    type: 'samples',
    fields: ({ id, string, obj, belongsTo }) => [
      id(),
      string('name'),
      belongsTo('specimen', 'specimens'),
      obj('json', string('a').nullable(), string('b').nullable(), string('c').readOnly()).on('specimen').nullable(),
    ],
    policy: open,
  }),
].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))

describe('An obj() attribute with on()', () => {
  beforeEach(async () => {
    await emptyLibrary()
    await query(`insert into specimens (id, json) values (101, '{"a":"1","b":"2","c":"3"}')`)
    await query(`insert into samples (id, name, specimen_id) values (101, 'x', 101)`)
  })
  after(emptyLibrary)

  for (const type of ['specimens', 'samples']) {
    it(`keeps members that were not sent or are read-only, updated through ${type}`, async () => {
      const { client, close } = await startLibrary({ resources })
      try {
        const data = { type, id: '101', attributes: { json: { a: '9' } } }
        const { status, text } = await client.patch(`/${type}/101`, { data })
        expect(status, text).to.equal(200)
        const [row] = (await query('select json from specimens')) as { json: unknown }[]
        expect(row?.json).to.deep.equal({ a: '9', b: '2', c: '3' })
      } finally {
        await close()
      }
    })
  }
})
