import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource } from '#kernel'
import { addSteps } from '#kernel/plugin'
import { startApp, type TestApp } from '#test/support/app.ts'
import { add, sendBatch } from '#test/support/batch.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'

const noteSchema = defineEntity({
  name: 'Note',
  tableName: 'notes',
  properties: { id: p.integer().primary().autoincrement(), text: p.text() },
})
class Note extends noteSchema.class {}
noteSchema.setClass(Note)

const notes = defineResource(Note, {
  type: 'notes',
  policy: 'open',
  fields: ({ id, string }) => [id(), string('text')],
})

const trigger = [
  `create function skip_row() returns trigger language plpgsql as
    $$ begin if new.text = 'skipped' then return null; end if; return new; end $$`,
  'create trigger skip before insert on notes for each row execute function skip_row()',
  `create function keep_row() returns trigger language plpgsql as
    $$ begin if old.text like 'kept%' then return null; end if; return coalesce(new, old); end $$`,
  'create trigger keep before update or delete on notes for each row execute function keep_row()',
]

for (const [path, hooks] of Object.entries({ fast: {}, regular: { beforeSave() {} } })) {
  describe(`A row that a trigger skips, on the ${path} path`, () => {
    let database: TestDatabase
    let app: TestApp
    const execute = (sql: string) => database.orm.em.getConnection().execute(sql)
    before(async () => {
      database = await openTestDatabase({ entities: [Note], migrations: [] })
      await database.orm.schema.create()
      for (const sql of trigger) await execute(sql)
      app = await startApp({
        database,
        resources: [{ file: 'test', resource: notes }],
        plugins: [...plugins, { name: 'path', plan: addSteps(hooks) }],
      })
    })
    after(async () => {
      await app.close()
      await database.close()
    })

    it('makes a create a 409', async () => {
      const { status } = await app.client.post('/notes', { data: { type: 'notes', attributes: { text: 'skipped' } } })
      expect(status).to.equal(409)
    })

    it('makes a batch a 409 at its operation, and no other row is written', async () => {
      const texts = ['first', 'skipped', 'last']
      const { status, body } = await sendBatch(
        app.client,
        texts.map((text) => add('notes', { text })),
      )
      expect([status, body.errors[0].source]).to.deep.equal([409, { pointer: '/atomic:operations/1' }])
      expect(await execute('select text from notes')).to.deep.equal([])
    })

    describe('of a delete or an update', () => {
      beforeEach(async () => {
        await execute('truncate notes')
        await execute(`insert into notes (id, text) values (101, 'kept'), (102, 'removed')`)
      })
      afterEach(() => execute('truncate notes'))

      // MikroORM does not compare the number of deleted rows.
      const expected = path === 'fast' ? 409 : 204

      it(`makes a delete a ${expected}, and the row stays`, async () => {
        const { status, body } = await app.client.delete('/notes/101')
        expect(status).to.equal(expected)
        if (body) expect(body.errors[0].detail).to.equal('The database has not deleted the resource.')
        expect(await execute('select id from notes order by id')).to.deep.equal([{ id: 101 }, { id: 102 }])
      })

      if (expected === 409) {
        it('makes a batch a 409 at its delete, and deletes no other row', async () => {
          const refs = ['102', '101'].map((id) => ({ op: 'remove' as const, ref: { type: 'notes', id } }))
          const { status, body } = await sendBatch(app.client, refs)
          expect([status, body.errors[0].source]).to.deep.equal([409, { pointer: '/atomic:operations/1' }])
          expect(await execute('select id from notes order by id')).to.deep.equal([{ id: 101 }, { id: 102 }])
        })
      }

      it('makes an update a 200 with the stored values', async () => {
        const data = { type: 'notes', id: '101', attributes: { text: 'changed' } }
        const { status, body } = await app.client.patch('/notes/101', { data })
        expect([status, body.data.attributes]).to.deep.equal([200, { text: 'kept' }])
      })

      it('changes nothing for other deletes', async () => {
        expect((await app.client.delete('/notes/102')).status).to.equal(204)
        expect((await app.client.delete('/notes/102')).status).to.equal(404)
      })
    })

    it('changes nothing for other batches', async () => {
      const { status } = await sendBatch(app.client, [add('notes', { text: 'first' }), add('notes', { text: 'last' })])
      expect([status, await execute('select text from notes order by id')]).to.deep.equal([
        200,
        [{ text: 'first' }, { text: 'last' }],
      ])
    })
  })
}
