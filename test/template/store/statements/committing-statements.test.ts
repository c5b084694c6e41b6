import { expect } from 'chai'
import createError from 'http-errors'
import { plugins } from '#app/plugins.ts'
import type { Plugin } from '#kernel/plugin'
import { observeStatements } from '#store'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import { add, sendBatch, update } from '#test/support/batch.ts'
import type { ClientResponse } from '#test/support/client.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { keyed } from '#test/template/support/idempotency-keys.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { typeSteps } from '#test/template/support/type-steps.ts'

// If one statement writes everything and nothing can refuse it afterwards, it commits by itself. The embedded database has
// no such statements: MikroORM begins its transactions.

const novel = { type: 'tags', id: '00000000-0000-4000-8000-000000000001' }
const shelf = { shelf: { type: 'shelves', id: '1' } }
const tags = '/books/101/relationships/tags'

describeIf(hasServer)('A statement that writes everything (needs a server)', () => {
  let refusesReads = false
  const unreadable: Plugin = {
    name: 'unreadable',
    ...typeSteps({
      beforeRelationLoad() {
        if (refusesReads) throw createError(409, 'Refused by a hook.')
      },
    }),
  }
  const errors: string[] = []
  let library: TestApp
  const execute = async (sql: string) => (await libraryDatabase()).orm.em.getConnection().execute(sql)
  /** Sends a request. Returns the first words of its statements. */
  const verbsOf = async (request: () => Promise<ClientResponse>, expected: number) => {
    const verbs: string[] = []
    const stop = observeStatements(({ sql }) => verbs.push(sql.split(' ')[0] as string))
    const { status, text } = await request().finally(stop)
    expect(status, text).to.equal(expected)
    return verbs.join(' ')
  }

  before(async () => {
    await emptyLibrary()
    const error = (_fields: object, message: string) => void errors.push(message)
    const logger = { warn() {}, error, info() {} } as unknown as NonNullable<TestAppOptions['logger']>
    library = await startLibrary({ plugins: [...plugins, unreadable], logger })
  })
  beforeEach(async () => {
    errors.length = 0
    refusesReads = false
    await emptyLibrary()
    await execute("insert into shelves (id, name) values (1, 'Prose')")
    await execute("insert into books (id, title) values (101, 'Emma')")
    await execute(`insert into tags (id, name) values ('${novel.id}', 'novel')`)
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  it('commits a batch that creates resources of one type', async () => {
    const creates = ['Persuasion', 'Sanditon'].map((title) => add('books', { title }, shelf))
    expect(await verbsOf(() => sendBatch(library.client, creates), 200)).to.equal('with')
    const bare = ['Lesley Castle', 'Evelyn'].map((title) => add('books', { title }))
    expect(await verbsOf(() => sendBatch(library.client, bare), 200)).to.equal('with')
    expect(await execute('select count(*)::int as count from books')).to.deep.equal([{ count: 5 }])
  })

  it('commits a batch of one update', async () => {
    const change = update({ type: 'books', id: '101' }, { title: 'Emma Woodhouse' })
    expect(await verbsOf(() => sendBatch(library.client, [change]), 200)).to.equal('update')
  })

  it('does not commit a batch whose creates need several statements', async () => {
    const creates = [add('books', { title: 'Persuasion' }), add('books', { title: 'Sanditon', position: 2 })]
    expect(await verbsOf(() => sendBatch(library.client, creates), 200)).to.equal('begin insert insert commit')
    const change = update({ type: 'books', id: '101' }, { title: 'Emma Woodhouse' })
    const mixed = [change, add('books', { title: 'Evelyn' })]
    expect(await verbsOf(() => sendBatch(library.client, mixed), 200)).to.equal('begin update insert commit')
  })

  it('writes nothing of a batch that refers to a missing resource', async () => {
    const creates = ['1', '2'].map((id) => add('books', { title: 'Sanditon' }, { shelf: { type: 'shelves', id } }))
    const response = await sendBatch(library.client, creates)
    const pointer = '/atomic:operations/1/data/relationships/shelf/data'
    expect([response.status, response.body.errors[0].source]).to.deep.equal([404, { pointer }])
    expect(await execute('select title from books')).to.deep.equal([{ title: 'Emma' }])
  })

  it('commits members that are added, which are then read', async () => {
    expect(await verbsOf(() => library.client.post(tags, { data: [novel] }), 200)).to.equal('with select')
  })

  it('returns 204 and reports the error if the members that were added cannot be read', async () => {
    refusesReads = true
    expect(await verbsOf(() => library.client.post(tags, { data: [novel] }), 204)).to.equal('with')
    expect(await execute('select book_id from book_tags')).to.deep.equal([{ book_id: 101 }])
    expect(errors).to.deep.equal(['The members that were added cannot be read; the write is kept'])
  })

  it('is rolled back if the members cannot be read and the response is stored with an idempotency key', async () => {
    refusesReads = true
    const verbs = await verbsOf(() => library.client.post(tags, { data: [novel] }, keyed()), 409)
    expect(verbs).to.match(/^begin .* with rollback/)
    expect(await execute('select book_id from book_tags')).to.deep.equal([])
  })
})
