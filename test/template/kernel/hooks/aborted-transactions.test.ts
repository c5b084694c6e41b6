import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { addSteps, type Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { add, sendBatch, update } from '#test/support/batch.ts'
import type { Client } from '#test/support/client.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

// PostgreSQL rolls a transaction back without an error if it is committed after one of its statements has failed.

const failAndContinue: Plugin = {
  name: 'fail-and-continue',
  plan: addSteps({
    async afterOperation({ context }) {
      await context.unit.run('select 1 / 0', []).catch(() => {})
      return undefined
    },
  }),
}

const requests = {
  'a create': (client: Client) => client.post('/books', { data: { type: 'books', attributes: { title: 'Sanditon' } } }),
  'an update': (client: Client) =>
    client.patch('/books/101', { data: { type: 'books', id: '101', attributes: { title: 'Sanditon' } } }),
  'a deletion': (client: Client) => client.delete('/books/101'),
  'a batch': (client: Client) =>
    sendBatch(client, [
      add('books', { title: 'Sanditon' }),
      update({ type: 'books', id: '101' }, { title: 'Persuasion' }),
    ]),
}

const execute = async (sql: string) => (await libraryDatabase()).orm.em.getConnection().execute(sql)

describe('A hook that catches the error of a statement, so that the transaction cannot be committed', () => {
  let library: TestApp
  before(async () => {
    library = await startLibrary({ plugins: [...plugins, failAndContinue] })
  })
  beforeEach(async () => {
    await emptyLibrary()
    await execute("insert into books (id, title) values (101, 'Emma')")
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  for (const [kind, send] of Object.entries(requests)) {
    it(`makes ${kind} a 500, and nothing is written`, async () => {
      const { status } = await send(library.client)
      const titles = (await execute('select title from books')).map(({ title }) => title)
      expect({ status, titles }).to.deep.equal({ status: 500, titles: ['Emma'] })
    })
  }
})
