import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { addSteps } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

// PostgreSQL stores times that JavaScript has no date for. Existing databases use them, for example as the end of a period.
const times = ['infinity', '-infinity', '0044-03-15 12:00:00+00 BC']

describe('A stored time that is not a date of JavaScript', () => {
  const execute = async (sql: string) => (await libraryDatabase()).orm.em.getConnection().execute(sql)
  let library: TestApp
  for (const [path, hooks] of Object.entries({ fast: {}, regular: { beforeSave: () => {} } })) {
    describe(`on the ${path} path`, () => {
      before(async () => {
        library = await startLibrary({ plugins: [...plugins, { name: 'hooks', plan: addSteps(hooks) }] })
        await emptyLibrary()
        for (const time of times) await execute(`insert into books (title, printed_at) values ('Emma', '${time}')`)
      })
      after(async () => {
        await library.close()
        await emptyLibrary()
      })

      it('is shown as null', async () => {
        const { status, body } = await library.client.get('/books')
        expect(status).to.equal(200)
        const shown = body.data.map(({ attributes }: { attributes: { printedAt: unknown } }) => attributes.printedAt)
        expect(shown).to.deep.equal([null, null, null])
      })

      it('is kept by an update of another attribute', async () => {
        const document = { data: { type: 'books', id: '1', attributes: { title: 'Emma Woodhouse' } } }
        const { status, text } = await library.client.patch('/books/1', document)
        expect(status, text).to.equal(200)
        const stored = await execute('select title, printed_at::text from books where id = 1')
        expect(stored).to.deep.equal([{ title: 'Emma Woodhouse', printed_at: 'infinity' }])
      })
    })
  }
})
