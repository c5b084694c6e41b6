import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { type Condition, compare, defineResource } from '#kernel'
import type { Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { scopeSteps } from '#test/template/support/type-steps.ts'

// An update of a type without policy, hooks and rules that read the stored row: `update … returning`, without a read before.

describe('PATCH of a type whose stored row is not needed', () => {
  let scope: Condition | undefined
  const narrowing: Plugin = { name: 'narrowing', ...scopeSteps('addressed', () => scope, ['books']) }
  let library: TestApp
  before(async () => {
    await emptyLibrary()
    library = await startLibrary({ plugins: [...plugins, narrowing] })
  })
  beforeEach(async () => {
    await emptyLibrary()
    const connection = (await libraryDatabase()).orm.em.getConnection()
    await connection.execute("insert into shelves (id, name) values (1, 'left'), (2, 'right')")
    await connection.execute("insert into books (id, title, shelf_id) values (1, 'Emma', 1), (2, 'Persuasion', 1)")
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  const book = (id: string, attributes: object, relationships: object = {}) => ({
    data: { type: 'books', id, attributes, relationships },
  })
  /** Sends the update. Returns its response and the verbs of its statements. */
  const patch = async (document: ReturnType<typeof book>) => {
    let response: Awaited<ReturnType<typeof library.client.patch>> | undefined
    const statements = await statementsOf(async () => {
      response = await library.client.patch(`/books/${document.data.id}`, document)
    })
    const verbs = statements.map(({ sql }) => sql.split(' ')[0]).join(' ')
    return { ...(response as NonNullable<typeof response>), verbs }
  }
  const shelf = (id: string) => ({ shelf: { data: { type: 'shelves', id } } })

  it('sends one statement', async () => {
    const { status, body, verbs } = await patch(book('1', { title: 'Emma II', position: 3 }))
    expect([status, verbs]).to.deep.equal([200, 'update'])
    expect(body.data.attributes).to.include({ title: 'Emma II', position: 3 })
    expect((await library.client.get('/books/1')).body.data).to.deep.equal(body.data)
    expect((await library.client.get('/books/2')).body.data.attributes.title).to.equal('Persuasion')
  })

  it('checks and writes a to-one by the same statement', async () => {
    const { status, verbs } = await patch(book('1', {}, shelf('2')))
    expect([status, verbs]).to.deep.equal([200, 'update'])
    expect((await library.client.get('/books/1/shelf')).body.data.id).to.equal('2')
  })

  it('returns 404 and changes nothing when the related row is missing', async () => {
    const { status, body } = await patch(book('1', { title: 'Lost' }, shelf('404')))
    expect([status, body.errors[0].source.pointer]).to.deep.equal([404, '/data/relationships/shelf/data'])
    expect((await library.client.get('/books/1')).body.data.attributes.title).to.equal('Emma')
  })

  for (const [name, members] of [
    ['a to-one', { shelf: { data: { type: 'boxes', id: '1' } } }],
    ['a to-many', { tags: { data: [{ type: 'boxes', id: '1' }] } }],
  ] as const) {
    it(`returns 409 and changes nothing when ${name} names a resource of another type`, async () => {
      const { status, body } = await patch(book('1', { title: 'Lost' }, members))
      expect([status, body.errors[0].code]).to.deep.equal([409, 'RESOURCE_TYPE_UNACCEPTABLE'])
      expect((await library.client.get('/books/1')).body.data.attributes.title).to.equal('Emma')
    })
  }

  it('reads the row and keeps its ETag when no value changes', async () => {
    const { headers } = await library.client.get('/books/1')
    const { status, headers: after, verbs } = await patch(book('1', { title: 'Emma', rating: null }))
    expect([status, after.get('etag')]).to.deep.equal([200, headers.get('etag')])
    expect(verbs).to.match(/^update select/)
  })

  describe('a time that is stored with microseconds', () => {
    const execute = async (sql: string) => (await libraryDatabase()).orm.em.getConnection().execute(sql)
    const stored = async () => {
      const [row] = await execute("select title, to_char(printed_at at time zone 'UTC', 'SS.US') as printed from books")
      return [row?.title, row?.printed]
    }
    beforeEach(async () => {
      await execute('delete from books where id = 2')
      await execute("update books set printed_at = '1815-12-23T00:00:01.234567Z' where id = 1")
    })

    it('keeps them when the shown time is sent, also with another value', async () => {
      const { printedAt } = (await library.client.get('/books/1')).body.data.attributes
      expect((await patch(book('1', { printedAt }))).verbs).to.match(/^update select/)
      expect(await stored()).to.deep.equal(['Emma', '01.234567'])
      expect((await patch(book('1', { printedAt, title: 'Emma II' }))).verbs).to.equal('update')
      expect(await stored()).to.deep.equal(['Emma II', '01.234567'])
    })

    it('is replaced by another time, and by null', async () => {
      await patch(book('1', { printedAt: '1815-12-23T00:00:01.235Z' }))
      expect(await stored()).to.deep.equal(['Emma', '01.235000'])
      await patch(book('1', { printedAt: null }))
      expect(await stored()).to.deep.equal(['Emma', null])
    })
  })

  it('returns 404 when the row is missing, also when the input is invalid', async () => {
    expect((await patch(book('404', { title: 'Lost' }))).status).to.equal(404)
    expect((await patch(book('404', { title: 7 }))).status).to.equal(404)
  })

  it('returns 404 when the row is missing and a function of the author refuses a value', async () => {
    const refusing = defineResource(Book, {
      type: 'books',
      fields: ({ id, string }) => [
        id(),
        string('title').deserializeUsing(() => {
          throw new Error('refused')
        }),
      ],
    })
    const { client, close } = await startLibrary({
      resources: [{ file: 'unread-updates.test.ts', resource: refusing }],
    })
    const statuses = [
      await client.patch('/books/404', book('404', { title: 'a' })),
      await client.patch('/books/1', book('1', { title: 'a' })),
    ]
    await close()
    expect(statuses.map(({ status }) => status)).to.deep.equal([404, 422])
  })

  it('returns 422 when the input is invalid', async () => {
    expect((await patch(book('1', { title: null }))).status).to.equal(422)
  })

  it('returns 404 and changes nothing when the row is out of scope', async () => {
    scope = compare('title', '=', 'Persuasion')
    const { status } = await patch(book('1', { title: 'Lost' }))
    scope = undefined
    expect(status).to.equal(404)
    expect((await library.client.get('/books/1')).body.data.attributes.title).to.equal('Emma')
  })

  it('returns 404 and changes nothing when a filter of the entity hides the row', async () => {
    const connection = (await libraryDatabase()).orm.em.getConnection()
    await connection.execute('update books set deleted_at = now() where id = 1')
    expect((await patch(book('1', { title: 'Lost' }))).status).to.equal(404)
    const [row] = await connection.execute('select title from books where id = 1')
    expect(row?.title).to.equal('Emma')
  })
})
