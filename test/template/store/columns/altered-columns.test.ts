import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { addSteps, type Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

// PostgreSQL rejects a prepared statement after a column changed its type, as when a migration runs beside old processes.

describe('A column whose type changes while the application runs', () => {
  let library: TestApp

  const execute = async (sql: string) => (await libraryDatabase()).orm.em.getConnection().execute(sql)
  const alter = (type: string) => execute(`alter table shelves alter column name type ${type}`)
  const several = (count: number, run: () => Promise<{ status: number }>) =>
    Promise.all(Array.from({ length: count }, async () => (await run()).status))
  const read = () => library.client.get('/shelves?page[size]=2')
  let name = 0
  const write = () =>
    library.client.patch('/shelves/1', { data: { type: 'shelves', id: '1', attributes: { name: `Shelf ${name++}` } } })

  before(async () => {
    library = await startLibrary()
  })
  beforeEach(() => execute("insert into shelves (name) values ('Fiction')"))
  afterEach(async () => {
    await alter('text')
    await emptyLibrary()
  })
  after(() => library.close())

  it('returns 200 for reads after the change', async () => {
    for (const type of ['varchar(300)', 'text']) {
      await several(20, read)
      await several(20, read)
      await alter(type)
      expect(await several(20, read)).to.deep.equal(Array(20).fill(200))
      expect((await read()).body.data[0].attributes.name).to.equal('Fiction')
    }
  })

  it('returns 200 for reads of several statements after the change', async () => {
    const readAll = () => library.client.get('/shelves/1?include=allBooks,label')
    for (const type of ['varchar(300)', 'text']) {
      await several(20, readAll)
      await several(20, readAll)
      await alter(type)
      expect(await several(20, readAll)).to.deep.equal(Array(20).fill(200))
    }
  })

  it('returns 200 for direct writes after the change', () => expectWrites())

  it('returns 200 for writes by MikroORM after the change', async () => {
    await library.close()
    const saveHook: Plugin = {
      name: 'save-hook',
      plan: addSteps({
        async beforeSave() {},
      }),
    }
    library = await startLibrary({ plugins: [...plugins, saveHook] })
    await expectWrites()
  })

  async function expectWrites(): Promise<void> {
    for (const type of ['varchar(300)', 'text']) {
      for (let time = 0; time < 12; time++) await write()
      await several(12, write)
      await alter(type)
      expect((await write()).status).to.equal(200)
      expect(await several(12, write)).to.deep.equal(Array(12).fill(200))
    }
  }
})
