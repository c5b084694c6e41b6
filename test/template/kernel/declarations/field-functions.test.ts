import { expect } from 'chai'
import { type Caller, defineResource } from '#kernel'
import type { TestApp } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'
import { libraryWith } from '#test/template/specification/library-app.ts'
import { blueTag, fillLibrary } from '#test/template/specification/library-rows.ts'
import { expectError } from '#test/template/specification/support.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

// Functions in a declaration: rendering, hydration, id generation, and predicates that depend on the request.

const generatedId = '00000000-0000-4000-8000-00000000abcd'

describe('Functions of a field', () => {
  let library: TestApp
  let client: Client
  before(async () => {
    library = await startLibrary({ resources: libraryWith(shelves, books, tags) })
    client = library.client
  })
  beforeEach(fillLibrary)
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  const change = (attributes: object, headers = {}) =>
    client.patch('/books/1', { data: { type: 'books', id: '1', attributes } }, headers)
  const stored = async (column: string) => {
    const [row] = await (await libraryDatabase()).orm.em
      .getConnection()
      .execute(`select ${column} as value from books where id = 1`)
    return row?.value
  }

  it('serializeUsing overrides extractUsing, and the result of extractUsing is still cast', async () => {
    const { attributes } = (await client.get('/books/1')).body.data
    expect(attributes).to.include({ spine: 'EMMA (spine)', epoch: '1970-01-01T00:00:03+00:00' })
  })

  it('hidden omits a child from its map, always or by the request', async () => {
    const factsFor = async (headers = {}) => (await client.get('/books/1', headers)).body.data.attributes.facts
    await change({ facts: { rating: 4.5 } })
    expect(await factsFor()).to.deep.equal({ pages: '474', rating: 4.5 })
    expect(await factsFor({ 'x-role': 'guest' })).to.deep.equal({ pages: '474' })
  })

  it('deserializeUsing receives all sent attributes and returns the stored value', async () => {
    await change({ title: 'Emma', subtitle: 'a novel' })
    expect(await stored('title')).to.equal('Emma: a novel')
  })

  it('returns 422 at the attribute and writes nothing when deserializeUsing throws', async () => {
    const response = await change({ title: 'forbidden', position: 9 })
    expectError(response, 422, 'ATTRIBUTE_VALUE_INVALID', { pointer: '/data/attributes/title' })
    expect(await stored('position')).to.equal(3)
  })

  it('fillUsing sets the entity itself and replaces deserializeUsing', async () => {
    await change({ note: 'x', position: 5 })
    expect(await stored('secret')).to.equal('note=x of note,position')
  })

  it('generateUsing generates the id of a new resource when the client sends none', async () => {
    const create = (id?: string) =>
      client.post('/tags', { data: { type: 'tags', ...(id && { id }), attributes: { name: id ?? 'made' } } })
    expect((await create()).body.data.id).to.equal(generatedId)
    const own = '00000000-0000-4000-8000-00000000abce'
    expect((await create(own)).body.data.id).to.equal(own)
  })

  it('readOnly ignores an attribute depending on the request', async () => {
    await change({ position: 7 })
    expect(await stored('position')).to.equal(7)
    const ignored = await change({ position: 8 }, { 'x-role': 'guest' })
    expect(ignored.status).to.equal(200)
    expect(await stored('position')).to.equal(7)
  })

  it('cannotAdd returns 403 depending on the resource and on the request', async () => {
    const add = (book: string, headers = {}) =>
      client.post(`/books/${book}/relationships/tags`, { data: [{ type: 'tags', id: blueTag }] }, headers)
    expectError(await add('4'), 403, 'ADDITION_PROHIBITED', { pointer: '/data' })
    expectError(await add('2', { 'x-role': 'guest' }), 403, 'ADDITION_PROHIBITED', { pointer: '/data' })
    expect((await add('2')).status).to.equal(200)
  })
})

const shelves = defineResource(Shelf, { type: 'shelves', fields: ({ id, string }) => [id(), string('name')] })

const tags = defineResource(Tag, {
  type: 'tags',
  fields: ({ id, string }) => [
    id()
      .uuid()
      .allowClientId()
      .generateUsing(() => generatedId),
    string('name'),
  ],
})

const isGuest = (caller: Caller | null) => caller?.header('x-role') === 'guest'

const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, integer, decimal, dateTime, map, belongsToMany }) => [
    id(),
    string('title').deserializeUsing((value, data) => {
      if (value === 'forbidden') throw new Error('Forbidden value.')
      return data.subtitle === undefined ? value : `${value}: ${data.subtitle}`
    }),
    string('subtitle').computed(),
    integer('position').readOnly(isGuest),
    string('spine')
      .extractUsing(() => 'never shown')
      .serializeUsing(({ title }, _, name) => `${title.toUpperCase()} (${name})`),
    dateTime('epoch').extractUsing(({ position }) => new Date(position * 1000)),
    string('note')
      .storedAs('secret')
      .deserializeUsing(() => 'never stored')
      .fillUsing((book, value, data, name) => {
        book.secret = `${name}=${value} of ${Object.keys(data)}`
      }),
    map(
      'facts',
      string('pages').nullable(),
      dateTime('printedAt').nullable().hidden(),
      decimal('rating').hidden((_, request) => isGuest(request)),
    ),
    belongsToMany('tags', 'tags').cannotAdd((book, request) => book?.position === 1 || isGuest(request)),
  ],
})
