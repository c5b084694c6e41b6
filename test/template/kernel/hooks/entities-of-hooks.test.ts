import { expect } from 'chai'
import type { Stages } from '#app/kernel/contract/stages.ts'
import { plugins } from '#app/plugins.ts'
import { compare, defineResource } from '#kernel'
import { addSteps, type Operation, type Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { sendBatch, update } from '#test/support/batch.ts'
import type { Client } from '#test/support/client.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { Specimen } from '#test/template/support/library/specimens.ts'
import { scopeSteps } from '#test/template/support/type-steps.ts'

// Entities that a hook has loaded by `unit.em`, and the write of the request, are one unit of work.

const execute = async (sql: string) => (await libraryDatabase()).orm.em.getConnection().execute(sql)
const bookOf = ({ unit }: Operation['context'], id = 101) => unit.em.findOneOrFail(Book, id)
const renamed = { data: { type: 'books', id: '101', attributes: { title: 'Emma Woodhouse' } } }
const persuasion = { data: [{ type: 'books', id: '102' }] }
const requests = {
  'an update': (client: Client) => client.patch('/books/101?include=shelf', renamed),
  'an update in a batch': (client: Client) =>
    sendBatch(client, [update({ type: 'books', id: '101' }, renamed.data.attributes)]),
}
const paths: Readonly<Record<string, Partial<Stages>>> = {
  statements: {},
  entities: { beforeSave: () => {} },
}

let library: TestApp
const start = async (hooks: Partial<Plugin>, options: Parameters<typeof startLibrary>[0] = {}) => {
  library = await startLibrary({ plugins: [...plugins, { name: 'hooks', ...hooks }], ...options })
  await emptyLibrary()
  await execute("insert into shelves (id, name) values (101, 'Novels')")
  await execute("insert into books (id, title, shelf_id) values (101, 'Emma', 101), (102, 'Persuasion', null)")
  return library.client
}
const close = async () => {
  await library.close()
  await emptyLibrary()
}

describe('An entity that a hook has loaded before a write', () => {
  afterEach(close)

  for (const [kind, send] of Object.entries(requests)) {
    it(`has the written values after ${kind}`, async () => {
      const titles: string[] = []
      const note = async ({ context }: Operation) => void titles.push((await bookOf(context)).title)
      const client = await start({
        plan: addSteps({
          check: async (operation) => void (await note(operation)),
          async afterOperation(operation) {
            if (operation.kind === 'Update') await note(operation)
            return undefined
          },
        }),
      })
      const { status, text } = await send(client)
      expect(status, text).to.equal(200)
      expect(titles).to.deep.equal(['Emma', 'Emma Woodhouse'])
    })
  }

  it('is shown with the change of the hook', async () => {
    const client = await start({
      plan: addSteps({
        async check({ context: { unit } }) {
          Object.assign(await unit.em.findOneOrFail(Shelf, 101), { name: 'Prose' })
          return undefined
        },
      }),
    })
    const { body } = await requests['an update'](client)
    expect(body.included[0].attributes.name).to.equal('Prose')
    expect(await execute('select name from shelves')).to.deep.equal([{ name: 'Prose' }])
  })
})

for (const [path, hooks] of Object.entries(paths)) {
  describe(`The change of a hook to an entity, on the ${path}`, () => {
    afterEach(close)
    const setPosition = (id?: number) => async (context: Operation['context']) => {
      Object.assign(await bookOf(context, id), { position: 7 })
      return undefined
    }
    const changing: Readonly<Record<string, Partial<Stages>>> = {
      transaction: { transaction: ({ unit }) => setPosition()({ unit } as never) },
      check: { check: ({ context }) => setPosition()(context) },
    }

    for (const [hook, change] of Object.entries(changing)) {
      for (const [kind, send] of Object.entries(requests)) {
        it(`is kept beside the values of ${kind}: ${hook}`, async () => {
          const client = await start({ plan: addSteps({ ...hooks, ...change }) })
          const { status, text } = await send(client)
          expect(status, text).to.equal(200)
          const [row] = await execute('select title, position from books where id = 101')
          expect(row).to.deep.equal({ title: 'Emma Woodhouse', position: 7 })
        })
      }
    }

    it('is kept if the row moves to another parent', async () => {
      const client = await start({
        plan: addSteps({ ...hooks, check: ({ context }) => setPosition(102)(context) }),
      })
      const { status, text } = await client.post('/shelves/101/relationships/books', persuasion)
      expect(status, text).to.equal(200)
      const [row] = await execute('select shelf_id, position from books where id = 102')
      expect(row).to.deep.equal({ shelf_id: 101, position: 7 })
    })

    it('is kept beside the children of an object that the client sends', async () => {
      const specimens = defineResource(Specimen, {
        type: 'specimens',
        fields: ({ id, obj, string }) => [id(), obj('json', string('a'), string('b'))],
        policy: 'open',
      })
      const check: Stages['check'] = async ({ context: { unit } }) => {
        Object.assign(await unit.em.findOneOrFail(Specimen, '101' as never), { json: { a: 'old', b: 'hook' } })
        return undefined
      }
      const resources = [{ file: 'specimens.ts', resource: specimens }]
      const client = await start(
        { plan: addSteps({ ...hooks, check }) },
        { resources, undescribed: ['default', 'admin'] },
      )
      await execute(`insert into specimens (id, json) values (101, '{"a":"old","b":"old"}')`)
      const data = { type: 'specimens', id: '101', attributes: { json: { a: 'new' } } }
      const { status, text } = await client.patch('/specimens/101', { data })
      expect(status, text).to.equal(200)
      expect(await execute('select json from specimens')).to.deep.equal([{ json: { a: 'new', b: 'hook' } }])
    })

    it('does not fail a precondition: it is evaluated once', async () => {
      const checks: string[] = []
      let isOn = false
      const client = await start({
        plan: addSteps({
          ...hooks,
          check: ({ context }) => (isOn ? setPosition()(context) : undefined),
          precondition: () => () => void checks.push('checked'),
        }),
      })
      const etag = (await client.get('/books/101')).headers.get('etag') as string
      isOn = true
      const { status, text } = await client.patch('/books/101', renamed, { 'if-match': etag })
      expect(status, text).to.equal(200)
      expect(checks).to.deep.equal(['checked'])
    })

    it('is refused in the write of a relationship if the parent leaves the write scope', async () => {
      const client = await start({
        plan: addSteps({
          ...hooks,
          async check({ context: { unit } }) {
            Object.assign(await unit.em.findOneOrFail(Shelf, 101), { name: 'Out' })
            return undefined
          },
        }),
        ...scopeSteps('written', () => compare('name', '!=', 'Out'), ['shelves']),
      })
      const { status } = await client.post('/shelves/101/relationships/books', persuasion)
      expect(status).to.equal(401)
      expect(await execute('select name from shelves')).to.deep.equal([{ name: 'Novels' }])
    })
  })
}

describe('An entity that afterSave changes', () => {
  afterEach(close)
  const changePosition: Stages['afterSave'] = (_operation, entity) => {
    Object.assign(entity, { position: 9 })
    return undefined
  }

  it('is shown as it is stored', async () => {
    const client = await start({ plan: addSteps({ afterSave: changePosition }) })
    const { body, headers } = await client.patch('/books/101', renamed)
    const stored = await client.get('/books/101')
    expect(body.data.attributes.position).to.equal(9)
    expect(stored.body.data.attributes.position).to.equal(9)
    expect(headers.get('etag')).to.equal(stored.headers.get('etag'))
  })

  it('is refused if it leaves the write scope', async () => {
    const client = await start({
      plan: addSteps({ afterSave: changePosition }),
      ...scopeSteps('written', () => compare('position', '!=', 9), ['books']),
    })
    const { status } = await client.patch('/books/101', renamed)
    expect(status).to.equal(401)
    expect(await execute('select position from books where position = 9')).to.deep.equal([])
  })
})
