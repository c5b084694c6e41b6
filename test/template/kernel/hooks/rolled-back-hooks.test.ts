import { expect } from 'chai'
import createError from 'http-errors'
import { plugins } from '#app/plugins.ts'
import { addSteps, type Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { add, sendBatch } from '#test/support/batch.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { checkSteps, typeSteps } from '#test/template/support/type-steps.ts'

// A write of one statement could be committed by it: not if a hook inside the transaction may still refuse it.

const tag = { type: 'tags', id: '00000000-0000-4000-8000-000000000001' }
const emma = { type: 'books', id: '1', attributes: { title: 'Emma Woodhouse' } }
const shelf = { type: 'shelves', attributes: { name: 'Prose' } }

const refuse = () => {
  throw createError(409, 'Refused by a hook.')
}

const refusing: Readonly<Record<string, Partial<Plugin>>> = {
  checkRows: checkSteps('written', refuse),
  afterOperation: { plan: addSteps({ afterOperation: refuse }) },
  'afterOperation with an error as the response': {
    plan: addSteps({
      afterOperation: () => ({ kind: 'error', status: 409, errors: [{ status: '409', title: 'Refused by a hook.' }] }),
    }),
  },
  beforeRender: typeSteps({ beforeRender: refuse }),
  beforeCommit: { plan: addSteps({ transaction: (transaction) => transaction.beforeCommit(refuse) }) },
}

for (const [name, hooks] of Object.entries(refusing)) {
  describe(`A write that the hook ${name} refuses`, () => {
    let library: TestApp
    const execute = async (sql: string) => (await libraryDatabase()).orm.em.getConnection().execute(sql)
    before(async () => {
      await emptyLibrary()
      library = await startLibrary({ plugins: [...plugins, { name: 'refusing', ...hooks }] })
      await execute("insert into books (id, title) values (1, 'Emma')")
      await execute(`insert into tags (id, name) values ('${tag.id}', 'novel')`)
    })
    after(async () => {
      await library.close()
      await emptyLibrary()
    })

    /** Sends the request. Expects that nothing is written. */
    const expectRefusal = async (request: () => Promise<{ readonly status: number; readonly text: string }>) => {
      const response = await request()
      expect(response.status, response.text).to.equal(409)
      const [count] = await execute(
        "select (select count(*)::int from shelves) as shelves, (select count(*)::int from book_tags) as tags, (select count(*)::int from books where title = 'Emma') as books",
      )
      expect(count).to.deep.equal({ shelves: 0, tags: 0, books: 1 })
    }

    it('is rolled back if it creates a resource', () =>
      expectRefusal(() => library.client.post('/shelves', { data: shelf })))

    it('is rolled back if it updates a resource', () =>
      expectRefusal(() => library.client.patch('/books/1', { data: emma })))

    it('is rolled back if it is a batch', () =>
      expectRefusal(() =>
        sendBatch(
          library.client,
          ['Prose', 'Poems'].map((name) => add('shelves', { name })),
        ),
      ))

    // A relationship has no rows of its own, and its response no resource objects.
    if (name !== 'checkRows' && name !== 'beforeRender')
      it('is rolled back if it adds members', () =>
        expectRefusal(() => library.client.post('/books/1/relationships/tags', { data: [tag] })))
  })
}
