import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { compare } from '#kernel'
import type { Operation, Plugin } from '#kernel/plugin'
import type { TestApp } from './support/app.ts'
import { sendBatch, update } from './support/batch.ts'
import type { Client } from './support/client.ts'
import { Book, Shelf } from './support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from './support/library/index.ts'

// Entities that a hook has loaded by `unit.em`, and the write of the request, are one unit of work.

const execute = async (sql: string) => (await libraryDatabase()).orm.em.getConnection().execute(sql)
const read = ({ context: { unit } }: Operation) => unit.em.findOneOrFail(Book, 101)
const renamed = { data: { type: 'books', id: '101', attributes: { title: 'Emma Woodhouse' } } }
const requests = {
  'an update': (client: Client) => client.patch('/books/101?include=shelf', renamed),
  'an update in a batch': (client: Client) =>
    sendBatch(client, [update({ type: 'books', id: '101' }, renamed.data.attributes)]),
}

let library: TestApp
const start = async (hooks: Partial<Plugin>) => {
  library = await startLibrary({ plugins: [...plugins, { name: 'hooks', ...hooks }] })
  await emptyLibrary()
  await execute("insert into shelves (id, name) values (101, 'Novels')")
  await execute("insert into books (id, title, shelf_id) values (101, 'Emma', 101)")
  return library.client
}

describe('An entity that a hook has loaded before a write', () => {
  afterEach(async () => {
    await library.close()
    await emptyLibrary()
  })

  for (const [kind, send] of Object.entries(requests)) {
    it(`has the written values after ${kind}`, async () => {
      const titles: string[] = []
      const note = async (operation: Operation) => void titles.push((await read(operation)).title)
      const client = await start({
        onSubjectLoaded: async (operation) => void (await note(operation)),
        afterWrite: async (operation) => void (await note(operation)),
      })
      const { status, text } = await send(client)
      expect(status, text).to.equal(200)
      expect(titles).to.deep.equal(['Emma', 'Emma Woodhouse'])
    })

    it(`keeps the change of the hook and the values of ${kind}`, async () => {
      const client = await start({
        async onSubjectLoaded(operation) {
          Object.assign(await read(operation), { position: 7 })
          return undefined
        },
      })
      const { status, text } = await send(client)
      expect(status, text).to.equal(200)
      const [row] = await execute('select title, position from books')
      expect(row).to.deep.equal({ title: 'Emma Woodhouse', position: 7 })
    })
  }

  it('is shown with the change of the hook', async () => {
    const client = await start({
      async onSubjectLoaded({ context: { unit } }) {
        Object.assign(await unit.em.findOneOrFail(Shelf, 101), { name: 'Prose' })
        return undefined
      },
    })
    const { body } = await requests['an update'](client)
    expect(body.included[0].attributes.name).to.equal('Prose')
    expect(await execute('select name from shelves')).to.deep.equal([{ name: 'Prose' }])
  })
})

describe('An entity that afterSave changes', () => {
  afterEach(async () => {
    await library.close()
    await emptyLibrary()
  })

  const changePosition: Plugin['afterSave'] = (_operation, entity) => {
    Object.assign(entity, { position: 9 })
    return undefined
  }

  it('is shown as it is stored', async () => {
    const client = await start({ afterSave: changePosition })
    const { body, headers } = await client.patch('/books/101', renamed)
    const stored = await client.get('/books/101')
    expect(body.data.attributes.position).to.equal(9)
    expect(stored.body.data.attributes.position).to.equal(9)
    expect(headers.get('etag')).to.equal(stored.headers.get('etag'))
  })

  it('is refused if it leaves the write scope', async () => {
    const client = await start({ afterSave: changePosition, writeScope: () => compare('position', '!=', 9) })
    const { status } = await client.patch('/books/101', renamed)
    expect(status).to.equal(401)
    expect(await execute('select position from books')).to.not.deep.include({ position: 9 })
  })
})
