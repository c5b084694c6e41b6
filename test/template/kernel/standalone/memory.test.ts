import { expect } from 'chai'
import { type Context, compare, defineResource, defineType } from '#kernel'
import { memoryStore } from '#memory'
import { Policy } from '#plugins/authorization/index.ts'
import { page } from '#plugins/pagination/index.ts'
import type { TestApp } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'
import { declared } from '#test/template/specification/library-app.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import {
  atomicMediaType,
  expectError,
  expectHttpError,
  readFaults,
  readIds,
} from '#test/template/specification/support.ts'
import { Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

interface Note {
  id: string
  text: string
  stars: number | null
  pinned: boolean
  writtenAt: Date
  shelf: number | null
  topics: string[]
  about: Mention | null
  mentions: Mention[]
  secret: true | null
}

interface Mention {
  type: string
  key: unknown
}

interface Topic {
  id: string
  name: string
  internal: true | null
}

class TopicPolicy extends Policy<Topic> {
  static override readonly needs = { view: [], update: [], delete: [] }
  scope(principal: Context['principal']) {
    return principal ? true : { internal: null }
  }
  viewAny = () => true
  view = () => true
  create = () => true
  update = () => true
  delete = () => true
}

describe('A type with memoryStore', () => {
  let library: TestApp
  let client: Client

  before(fillLibrary)
  beforeEach(async () => {
    library = await startLibrary({ resources: declared(shelves, notes(), topics()) })
    client = library.client
  })
  afterEach(() => library.close())
  after(emptyLibrary)

  const create = (attributes: object, relationships: object = {}) =>
    client.post('/notes', { data: { type: 'notes', attributes, relationships } })

  describe('GET', () => {
    it('filters, sorts, pages, counts and includes', async () => {
      const { body } = await client.get('/notes?filter[text]=O&sort=-stars&page[size]=2&include=topics,shelf')
      expect(readIds(body.data)).to.deep.equal(['2', '1'])
      expect(body.data[1].attributes).to.deep.equal({
        text: 'one',
        stars: 3,
        pinned: true,
        writtenAt: '2024-01-01T00:00:00+00:00',
      })
      expect(body.included.map(({ type, id }: { type: string; id: string }) => `${type} ${id}`)).to.have.members([
        'topics a',
        'shelves 1',
      ])
      expect((await client.get('/notes?withCount=topics')).body.data[0].relationships.topics.meta.total).to.equal(1)
    })

    it('filters by numbers, booleans and times', async () => {
      const found = async (query: string) => readIds((await client.get(`/notes?${query}`)).body.data)
      expect(await found('filter[stars]=3')).to.deep.equal(['1'])
      expect(await found('filter[pinned]=false')).to.deep.equal(['2', '3'])
      expect(await found('filter[written][min]=2024-02-01T00:00:00Z')).to.deep.equal(['2', '3'])
      expectError(await client.get('/notes?filter[stars]=many'), 400, 'FILTER_VALUE_INVALID', {
        parameter: 'filter[stars]',
      })
    })

    it('filters by related rows in the store and in memory', async () => {
      const found = async (query: string) => readIds((await client.get(`/notes?${query}`)).body.data)
      expect(await found('filter[topics]')).to.deep.equal(['1'])
      expect(await found('filter[lonely]')).to.deep.equal(['2', '3'])
      expect(await found('filter[shelf.name]=Fiction')).to.deep.equal(['1'])
      expect(await found('filter[shelf.name]=Poetry')).to.deep.equal([])
    })

    it('applies custom filters and sorts', async () => {
      expect(readIds((await client.get('/notes?filter[good]=1')).body.data)).to.deep.equal(['1'])
      expect(readIds((await client.get('/notes?sort=-when')).body.data)).to.deep.equal(['3', '2', '1'])
    })
  })

  describe('POST', () => {
    it('creates a row with relationships and a generated id', async () => {
      const { status, body, headers } = await create(
        { text: 'four', writtenAt: '2024-04-01T00:00:00Z' },
        { shelf: { data: { type: 'shelves', id: '2' } }, topics: { data: [{ type: 'topics', id: 'a' }] } },
      )
      expect(status).to.equal(201)
      expect(body.data.id).to.equal('4')
      expect(headers.get('location')).to.equal(`${client.url}/notes/4`)
      expect((await client.get('/notes/4/shelf')).body.data.id).to.equal('2')
      expect(readIds((await client.get('/notes/4/relationships/topics')).body.data)).to.deep.equal(['a'])
    })

    it('returns 409 when a client-generated id exists', async () => {
      const data = { type: 'topics', id: 'c', attributes: { name: 'New' } }
      expect((await client.post('/topics', { data })).status).to.equal(201)
      const again = await client.post('/topics', { data })
      expectError(again, 409, 'CLIENT_GENERATED_ID_ALREADY_EXISTS', { pointer: '/data/id' })
    })

    it('creates nothing when validation, linkage, uniqueness or a hook fails', async () => {
      const wrong = await create({ text: '', stars: 9 }, { topics: { data: [{ type: 'topics', id: 'a' }] } })
      expect(wrong.status).to.equal(422)
      expect(readFaults(wrong)).to.deep.equal([
        { code: 'VALIDATION_FAILED', source: { pointer: '/data/attributes/text' } },
        { code: 'VALIDATION_FAILED', source: { pointer: '/data/attributes/stars' } },
      ])
      const missing = await create({ text: 'x' }, { shelf: { data: { type: 'shelves', id: '99' } } })
      expectError(missing, 404, 'RESOURCE_NOT_FOUND', { pointer: '/data/relationships/shelf/data' })
      const taken = await create({ text: 'one' })
      expectError(taken, 422, 'VALIDATION_FAILED', { pointer: '/data/attributes/text' })
      expectHttpError(await create({ text: 'forbidden' }), 409, 'Conflict')
      expect((await client.get('/notes')).body.data).to.have.length(3)
    })
  })

  describe('PATCH', () => {
    it('loses no update of ten concurrent requests', async () => {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          index % 2
            ? client.patch('/notes/1', { data: { type: 'notes', id: '1', attributes: { stars: 4 } } })
            : client.patch('/notes/1', { data: { type: 'notes', id: '1', attributes: { pinned: false } } }),
        ),
      )
      for (const { status } of answers) expect(status).to.equal(200)
      expect((await client.get('/notes/1')).body.data.attributes).to.include({ stars: 4, pinned: false })
    })

    it('changes nothing when a hook throws', async () => {
      const data = { type: 'notes', id: '1', attributes: { stars: 5, text: 'forbidden' } }
      expect((await client.patch('/notes/1', { data })).status).to.equal(409)
      expect((await client.get('/notes/1')).body.data.attributes).to.include({ stars: 3, text: 'one' })
    })
  })

  describe('relationship URLs', () => {
    const path = '/notes/1/relationships/topics'
    const of = (...ids: string[]) => ({ data: ids.map((id) => ({ type: 'topics', id })) })
    const members = async () => readIds((await client.get(path, as)).body.data)
    const as = { authorization: 'Bearer admin' }

    it('returns 404 for members out of scope, and keeps them in a replacement', async () => {
      expect((await client.patch(path, of('a', 'hidden'), as)).status).to.equal(200)
      expect(await members()).to.deep.equal(['a', 'hidden'])
      expectError(await client.patch(path, of('hidden')), 404, 'RESOURCE_NOT_FOUND', { pointer: '/data/0' })
      expect(readIds((await client.patch(path, of('b'))).body.data)).to.deep.equal(['b'])
      expect(await members()).to.have.members(['b', 'hidden'])
    })

    it('adds, removes and pages members of several types', async () => {
      const mentions = '/notes/1/relationships/mentions'
      const [a, one, two] = [
        { type: 'topics', id: 'a' },
        { type: 'shelves', id: '1' },
        { type: 'shelves', id: '2' },
      ]
      expect((await client.patch(mentions, { data: [one, a] })).body.data).to.deep.equal([one, a])
      expect((await client.post(mentions, { data: [a, two] })).body.data).to.deep.equal([one, a, two])
      const { body } = await client.get('/notes/1/mentions')
      expect(body.data.map(({ type, id }: { type: string; id: string }) => ({ type, id }))).to.deep.equal([one, a])
      expect((await client.get(body.links.next)).body.data).to.have.length(1)
      expect((await client.delete(mentions, { data: [one] })).body.data).to.deep.equal([a, two])
      expect((await client.get('/notes/1?include=mentions')).body.included).to.have.length(2)
    })

    it('sets and reads a to-one of several types', async () => {
      const about = '/notes/1/relationships/about'
      expect((await client.get(about)).body.data).to.equal(null)
      const data = { type: 'shelves', id: '2' }
      expect((await client.patch(about, { data })).body.data).to.deep.equal(data)
      expect((await client.get('/notes/1/about')).body.data.attributes.name).to.equal('Poetry')
      expect((await client.get('/notes/1?include=about')).body.data.relationships.about.data).to.deep.equal(data)
    })
  })

  it('returns 404 for reads and writes of rows out of scope', async () => {
    expectError(await client.get('/topics/hidden'), 404, 'RESOURCE_NOT_FOUND')
    const data = { type: 'topics', id: 'hidden', attributes: { name: 'Seen' } }
    expectError(await client.patch('/topics/hidden', { data }), 404, 'RESOURCE_NOT_FOUND')
    expect(readIds((await client.get('/topics')).body.data)).to.deep.equal(['a', 'b'])
    expectError(await client.get('/notes/secret'), 404, 'RESOURCE_NOT_FOUND')
    expectError(await client.delete('/notes/secret'), 404, 'RESOURCE_NOT_FOUND')
  })

  it('returns 403 for an operation of a batch, because it is not transactional', async () => {
    const operations = [{ op: 'add', data: { type: 'notes', attributes: { text: 'five' } } }]
    const headers = { accept: atomicMediaType, 'content-type': atomicMediaType }
    const answer = await client.post('/operations', { 'atomic:operations': operations }, headers)
    expectError(answer, 403, 'ATOMIC_OPERATIONS_NOT_SUPPORTED', { pointer: '/atomic:operations/0' })
    expect((await client.get('/notes')).body.data).to.have.length(3)
  })
})

const shelves = defineResource(Shelf, { type: 'shelves', fields: ({ id, string }) => [id(), string('name')] })

const at = (month: number) => new Date(Date.UTC(2024, month - 1, 1))

function notes() {
  return defineType<Note>({
    type: 'notes',
    operations: ['FetchCollection', 'FetchOne', 'Create', 'Update', 'Delete'],
    fields: ({ id, string, integer, boolean, dateTime, belongsTo, hasMany, morphTo, morphToMany }) => [
      id(),
      string('text').required().maxLength(20).uniqueEntity(['text']),
      integer('stars').nullable().max(5).sortable(),
      boolean('pinned'),
      dateTime('writtenAt'),
      belongsTo('shelf', 'shelves'),
      hasMany('topics', 'topics').countable(),
      morphTo('about', ['topics', 'shelves']),
      morphToMany('mentions', ['topics', 'shelves']).paginate(page({ size: 2 })),
    ],
    filters: ({ contains, where, boolean, dateRange, custom, whereHas, whereDoesntHave, whereThrough }) => [
      contains('text'),
      where('stars'),
      boolean('pinned'),
      dateRange('written', 'writtenAt'),
      whereHas('topics'),
      whereDoesntHave('lonely', 'topics'),
      whereThrough('shelf.name'),
      custom('good').condition(() => compare('stars', '>', 2)),
    ],
    sorts: { when: 'writtenAt' },
    pagination: () => page({ size: 10 }),
    scope: () => ({ secret: null }),
    beforeCreate: refuse,
    beforeUpdate: refuse,
    exceptions: [[RangeError, 409]],
    ...memoryStore([
      { id: '1', text: 'one', stars: 3, pinned: true, writtenAt: at(1), shelf: 1, topics: ['a'] },
      { id: '2', text: 'two', stars: null, pinned: false, writtenAt: at(2), shelf: null, topics: [] },
      { id: '3', text: 'three', stars: 1, pinned: false, writtenAt: at(3), shelf: null, topics: [] },
      { id: 'secret', text: 'hidden', stars: 5, pinned: true, writtenAt: at(4), shelf: null, topics: [], secret: true },
    ]),
  })
}

function refuse({ text }: Note): void {
  if (text === 'forbidden') throw new RangeError(text)
}

function topics() {
  return defineType<Topic>()({
    type: 'topics',
    operations: ['FetchCollection', 'FetchOne', 'Create', 'Update', 'Delete'],
    fields: ({ id, string }) => [id().allowClientId(), string('name').required()],
    policy: TopicPolicy,
    ...memoryStore([
      { id: 'a', name: 'A' },
      { id: 'b', name: 'B' },
      { id: 'hidden', name: 'Hidden', internal: true },
    ]),
  })
}
