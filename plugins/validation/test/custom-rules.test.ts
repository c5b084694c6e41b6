import { expect } from 'chai'
import { type Caller, defineResource, type ResourceDeclaration } from '#kernel'
import { BootError } from '#kernel/plugin'
import { buildApp, type TestApp } from '#test/support/app.ts'
import { sendBatch } from '#test/support/batch.ts'
import type { ClientResponse } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

type Fields = ResourceDeclaration<Book>['fields']

describe('rule()', () => {
  let library: TestApp | null = null
  const calls: unknown[] = []
  const note = (value: unknown) => void calls.push(value)
  const start = async (fields: Fields) => {
    library = await startLibrary({ resources: declare(fields) })
    return library.client
  }
  beforeEach(emptyLibrary)
  afterEach(async () => {
    calls.length = 0
    await library?.close()
    library = null
  })
  after(emptyLibrary)

  const book = (attributes: object, id?: string) => ({ data: { type: 'books', ...(id && { id }), attributes } })

  it('returns 422 with the sentence and a pointer to the attribute when the function returns a sentence', async () => {
    const client = await start(({ id, string }) => [
      id(),
      string('title').rule((title) =>
        title.startsWith('The') ? "'title' must not start with an article." : undefined,
      ),
    ])
    const refused = await client.post('/books', book({ title: 'The Trial' }))
    expect(refused.status).to.equal(422)
    expect(refused.body.errors[0]).to.deep.include({
      code: 'VALIDATION_FAILED',
      title: 'Unprocessable Entity',
      detail: "'title' must not start with an article.",
      source: { pointer: '/data/attributes/title' },
    })
    const { status, body } = await client.post('/books', book({ title: 'Trial' }))
    expect(status).to.equal(201)
    const update = await client.patch(`/books/${body.data.id}`, book({ title: 'The End' }, body.data.id))
    expect(readPointers(update)).to.deep.equal(['/data/attributes/title'])
  })

  it('awaits a promise, and returns one error for each sentence of a list', async () => {
    const client = await start(({ id, string, integer }) => [
      id(),
      string('title').rule(async () => ['It is too short.', 'It is too dull.']),
      integer('position').rule((position) => Promise.resolve(position > 9 ? 'It is out of range.' : null)),
    ])
    const refused = await client.post('/books', book({ title: 'x', position: 10 }))
    expect(refused.body.errors.map(({ detail }: { detail: string }) => detail)).to.deep.equal([
      'It is too short.',
      'It is too dull.',
      'It is out of range.',
    ])
    expect(readPointers(refused)[2]).to.equal('/data/attributes/position')
  })

  it('is called once, with the sent value and the caller', async () => {
    const callers: (Caller | null)[] = []
    const client = await start(({ id, string }) => [
      id(),
      string('title').rule((title, caller) => {
        note(title)
        callers.push(caller)
      }),
    ])
    const { status } = await client.post('/books', book({ title: 'Howl' }), { authorization: 'Bearer admin' })
    expect(status).to.equal(201)
    expect(calls).to.deep.equal(['Howl'])
    expect(callers[0]?.principal?.identifier).to.equal('admin')
    const operations = ['a', 'b', 'c'].map((title) => ({ op: 'add', data: book({ title }).data }))
    expect((await sendBatch(client, operations)).status).to.equal(200)
    expect(calls).to.deep.equal(['Howl', 'a', 'b', 'c'])
  })

  it('is not called for a value that was not sent, is null, cannot be written or breaks another rule', async () => {
    const client = await start(({ id, string, integer }) => [
      id(),
      string('title').required().maxLength(5).rule(note),
      integer('position').readOnlyOnUpdate().rule(note),
      integer('rating').nullable().rule(note),
    ])
    expect((await client.post('/books', book({ title: 'Too long' }))).status).to.equal(422)
    expect((await client.post('/books', book({ title: 5, rating: 'x' }))).status).to.equal(422)
    const { body } = await client.post('/books', book({ title: 'Howl', rating: null }))
    expect(calls).to.deep.equal(['Howl'])
    const { id } = body.data
    expect((await client.patch(`/books/${id}`, book({ position: 3 }, id))).status).to.equal(200)
    expect(calls).to.deep.equal(['Howl'])
  })

  it('applies inside onCreate(), onUpdate() and when()', async () => {
    const client = await start(({ id, string }) => [
      id(),
      string('title')
        .onCreate((title) => title.rule((value) => note(`create ${value}`)))
        .onUpdate((title) => title.rule((value) => note(`update ${value}`)))
        .when(
          (value) => value === 'b',
          (title) => title.rule((value) => note(`when ${value}`)),
        ),
    ])
    const { body } = await client.post('/books', book({ title: 'a' }))
    await client.patch(`/books/${body.data.id}`, book({ title: 'b' }, body.data.id))
    expect(calls).to.deep.equal(['create a', 'update b', 'when b'])
  })

  it('points at the member when it is a rule of a child of a map', async () => {
    const client = await start(({ id, map, string, integer }) => [
      id(),
      map(
        'label',
        string('title').rule(() => 'It is taken.'),
        integer('position'),
      ),
    ])
    expect(readPointers(await client.post('/books', book({ label: { title: 'x', position: 1 } })))).to.deep.equal([
      '/data/attributes/label/title',
    ])
  })

  it('sends no statement, and writes nothing when it refuses the value', async () => {
    const client = await start(({ id, string }) => [id(), string('title').rule(() => 'No.')])
    const statements = await statementsOf(() => client.post('/books', book({ title: 'x' })))
    expect(statements.filter(({ sql }) => /insert|update/i.test(sql))).to.deep.equal([])
  })

  it('rejects the write with 500 when it returns neither a sentence nor nothing', async () => {
    const client = await start(({ id, string }) => [id(), string('title').rule((() => true) as never)])
    expect((await client.post('/books', book({ title: 'x' }))).status).to.equal(500)
    expect((await client.get('/books')).body.data).to.deep.equal([])
  })

  it('fails the boot in atLeastOneOf() and each(), and when it is not a function', async () => {
    const faults = await listBootFaults(({ id, string, integer, arrayList }) => [
      id(),
      string('title').atLeastOneOf((title) => title.rule(() => null)),
      arrayList('letters')
        .computed()
        .each((item) => (item as never as { rule(check: () => null): unknown }).rule(() => null)),
      integer('position').rule('no' as never),
    ])
    const sentence = 'rule() has no effect in atLeastOneOf() and each(); use it on the field itself.'
    expect(faults).to.deep.equal([
      `books.title (books.ts): ${sentence}`,
      `books.letters (books.ts): ${sentence}`,
      'books.position (books.ts): rule() takes a function.',
    ])
  })
})

function declare(fields: Fields) {
  const books = defineResource(Book, { type: 'books', fields })
  const shelves = defineResource(Shelf, { type: 'shelves', fields: ({ id }) => [id()] })
  return [books, shelves].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))
}

async function listBootFaults(fields: Fields): Promise<string[]> {
  const building = buildApp({ resources: declare(fields), servers: { default: {} }, database: await libraryDatabase() })
  const error = await building.catch((thrown: Error) => thrown)
  expect(error).to.be.instanceOf(BootError)
  return (error as BootError).message.split('\n')
}

function readPointers({ status, body }: ClientResponse): string[] {
  expect(status).to.equal(422)
  return body.errors.map(({ source }: { source: { pointer: string } }) => source.pointer)
}
