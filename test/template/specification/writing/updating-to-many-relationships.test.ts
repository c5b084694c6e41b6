import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { Book, Tag } from '#test/template/support/library/entities.ts'
import { startLibrary } from '#test/template/support/library/index.ts'
import { declared, inLibrary, libraryWith } from '../library-app.ts'
import { blueTag, fillLibrary, redTag } from '../library-rows.ts'
import { expectError, readFaults, readIds, type Source } from '../support.ts'

// https://jsonapi.org/format/1.1/#crud-updating-to-many-relationships

const methods = ['PATCH', 'POST', 'DELETE'] as const

describe('Updating to-many relationships', () => {
  let library: TestApp
  let client: Client

  before(async () => {
    library = await startLibrary()
    client = library.client
  })
  beforeEach(fillLibrary)
  after(() => library.close())

  const path = '/shelves/1/relationships/books'
  const books = (...ids: readonly string[]) => ({ data: ids.map((id) => ({ type: 'books', id })) })
  const stored = async (of = path) => readIds((await client.get(of)).body.data).sort()

  it('REL-03 replaces all members with PATCH', async () => {
    const { status, body } = await client.patch(path, books('4', '1'))
    expect(status).to.equal(200)
    expect(readIds(body.data)).to.have.members(['1', '4'])
    expect(await stored()).to.deep.equal(['1', '4'])
    expect((await client.get('/books/2')).body.data.relationships.shelf.data).to.equal(null)
  })

  it('REL-03 returns 404 and changes nothing when a member does not exist', async () => {
    for (const method of methods) {
      const response = await client.send(method, path, { body: books('2', '4711', 'nope', '3') })
      expect(response.status, method).to.equal(404)
      expect(readFaults(response)).to.have.deep.members([
        { code: 'RESOURCE_NOT_FOUND', source: { pointer: '/data/1' } },
        { code: 'RESOURCE_NOT_FOUND', source: { pointer: '/data/2' } },
      ])
      expect(await stored()).to.deep.equal(['1', '2', '3'])
    }
  })

  it('REL-04 removes all members with PATCH and an empty list', async () => {
    expect((await client.patch(path, books())).body.data).to.deep.equal([])
    expect(await stored()).to.deep.equal([])
  })

  it('REL-05 adds members with POST and ignores duplicates', async () => {
    expect((await client.post('/shelves/2/relationships/books', books('4', '4'))).status).to.equal(200)
    expect((await client.post('/shelves/2/relationships/books', books('4'))).status).to.equal(200)
    expect(await stored('/shelves/2/relationships/books')).to.deep.equal(['4'])
    const tags = { data: [redTag, blueTag, redTag].map((id) => ({ type: 'tags', id })) }
    for (const _ of [1, 2]) {
      const { status, body } = await client.post('/books/2/relationships/tags', tags)
      expect(status).to.equal(200)
      expect(readIds(body.data)).to.deep.equal([redTag, blueTag])
    }
  })

  it('REL-05 moves a member of another parent with POST', async () => {
    expect((await client.post('/shelves/2/relationships/books', books('1'))).status).to.equal(200)
    expect(await stored()).to.deep.equal(['2', '3'])
    expect(await stored('/shelves/2/relationships/books')).to.deep.equal(['1'])
  })

  it('REL-05 REL-06 changes nothing for an empty list', async () => {
    for (const method of ['POST', 'DELETE']) {
      const { status, body } = await client.send(method, path, { body: books() })
      expect(status).to.equal(200)
      expect(body.data).to.have.length(3)
    }
  })

  it('REL-06 REL-07 removes members with DELETE, and returns 200 when they are already removed', async () => {
    for (const _ of [1, 2]) {
      const { status, body } = await client.delete(path, books('1', '4'))
      expect(status).to.equal(200)
      expect(readIds(body.data)).to.have.members(['2', '3'])
    }
  })

  it('REL-06 keeps the members of another parent', async () => {
    expect((await client.delete('/shelves/2/relationships/books', books('1'))).status).to.equal(200)
    expect(await stored()).to.deep.equal(['1', '2', '3'])
  })

  it('REL-08 removes the link and keeps the resource', async () => {
    await client.delete(path, books('1'))
    await client.delete('/books/2/relationships/tags', { data: [{ type: 'tags', id: redTag }] })
    expect((await client.get('/books/1')).status).to.equal(200)
    expect((await client.get(`/tags/${redTag}`)).status).to.equal(200)
  })

  it('REL-09 REL-10 returns the document that a GET of the linkage returns', async () => {
    for (const method of methods) {
      const { status, body } = await client.send(method, path, { body: books('1', '2') })
      expect(status).to.equal(200)
      expect(body).to.deep.equal((await client.get(path)).body)
      expect(body.links).to.deep.include({ self: client.url + path, related: `${client.url}/shelves/1/books` })
    }
  })

  it('REL-03 REL-05 REL-06 changes the same join table rows from the inverse side', async () => {
    const of = `/tags/${redTag}/relationships/books`
    expect(readIds((await client.post(of, books('2', '3'))).body.data)).to.deep.equal(['1', '2', '3'])
    expect(readIds((await client.delete(of, books('1', '2'))).body.data)).to.deep.equal(['3'])
    expect(readIds((await client.patch(of, books('1', '4'))).body.data)).to.deep.equal(['1', '4'])
    expect(await stored('/books/1/relationships/tags')).to.deep.equal([redTag, blueTag])
    expect(await stored('/books/3/relationships/tags')).to.deep.equal([])
  })

  describe('invalid requests', () => {
    const inappropriate = 'RELATIONSHIP_TYPE_INAPPROPRIATE'
    const book = { type: 'books', id: '1' }
    const cases: readonly (readonly [fault: string, body: unknown, code: string, source: Source | null])[] = [
      ['an empty body', '', 'REQUEST_BODY_INVALID_JSON', null],
      ['no data', { meta: {} }, 'DATA_MEMBER_MISSING', { pointer: '' }],
      ['null', { data: null }, inappropriate, { pointer: '/data' }],
      ['one identifier', { data: book }, inappropriate, { pointer: '/data' }],
      ['text', { data: 'books' }, inappropriate, { pointer: '/data' }],
      ['null in the list', { data: [null] }, 'REQUEST_BODY_INVALID_JSON_API', { pointer: '/data/0' }],
      ['no type', { data: [book, { id: '1' }] }, 'RESOURCE_IDENTIFIER_TYPE_MISSING', { pointer: '/data/1' }],
      ['no id', { data: [{ type: 'books' }] }, 'RESOURCE_IDENTIFIER_ID_MISSING', { pointer: '/data/0' }],
      ['a number as id', { data: [{ ...book, id: 1 }] }, 'RESOURCE_IDENTIFIER_ID_INVALID', { pointer: '/data/0/id' }],
      ['a lid', { data: [{ type: 'books', lid: 'a' }] }, 'LOCAL_ID_NOT_SUPPORTED', { pointer: '/data/0/lid' }],
      [
        'text as meta',
        { data: [{ ...book, meta: 'x' }] },
        'REQUEST_BODY_INVALID_JSON_API',
        { pointer: '/data/0/meta' },
      ],
    ]
    for (const [fault, body, code, source] of cases) {
      it(`REL-02 returns 400 for ${fault} and changes nothing`, async () => {
        for (const method of methods) expectError(await client.send(method, path, { body }), 400, code, source)
        expect(await stored()).to.deep.equal(['1', '2', '3'])
      })
    }

    it('REL-13 returns 404 when the parent does not exist', async () => {
      for (const method of methods) {
        for (const id of ['4711', 'nope']) {
          const response = await client.send(method, `/shelves/${id}/relationships/books`, { body: books('1') })
          expectError(response, 404, 'RESOURCE_NOT_FOUND')
        }
      }
    })

    it('REL-14 returns 409 at the type of each member that the relationship does not accept', async () => {
      const data = [{ type: 'shelves', id: '1' }, ...books('1').data, { type: 'nope', id: '1' }]
      for (const method of methods) {
        const response = await client.send(method, path, { body: { data } })
        expect(response.status).to.equal(409)
        expect(readFaults(response)).to.deep.equal([
          { code: 'RESOURCE_TYPE_UNACCEPTABLE', source: { pointer: '/data/0/type' } },
          { code: 'RESOURCE_TYPE_UNACCEPTABLE', source: { pointer: '/data/2/type' } },
        ])
      }
    })

    it('REL-12 returns 403 with a code per method for a read-only relationship', async () => {
      const codes = { PATCH: 'FULL_REPLACEMENT_PROHIBITED', POST: 'ADDITION_PROHIBITED', DELETE: 'REMOVAL_PROHIBITED' }
      await inLibrary({ resources: declared(...readOnlyTags()) }, async ({ client: writer }) => {
        for (const method of methods) {
          const response = await writer.send(method, '/books/1/relationships/tags', { body: { data: [] } })
          expectError(response, 403, codes[method], { pointer: '/data' })
        }
      })
    })

    it('returns 400 for sort, page and filter when linkage is written', async () => {
      for (const query of ['sort=title', 'page[size]=1', 'filter[title]=x']) {
        const response = await client.patch(`${path}?${query}`, books())
        const parameter = query.slice(0, query.search(/[[=]/))
        expectError(response, 400, 'QUERY_PARAM_UNRECOGNIZED', { parameter })
      }
      expect(await stored()).to.deep.equal(['1', '2', '3'])
    })
  })
})

describe('Relationships in a resource document', () => {
  let library: TestApp
  let client: Client

  before(async () => {
    library = await startLibrary()
    client = library.client
  })
  beforeEach(fillLibrary)
  after(() => library.close())

  const shelf = (members: object, id?: string) => ({
    data: { type: 'shelves', ...(id && { id }), attributes: { name: 'New' }, relationships: members },
  })
  const books = (...ids: readonly string[]) => ({ data: ids.map((id) => ({ type: 'books', id })) })

  it('CRE-02 creates a resource with members in every kind of relationship', async () => {
    const label = { data: { type: 'labels', id: '1' } }
    const { status, body } = await client.post(
      '/shelves?include=label,allBooks',
      shelf({ books: books('1', '4'), label }),
    )
    expect(status).to.equal(201)
    expect(body.data.relationships.label.data).to.deep.equal(label.data)
    expect(body.data.relationships.allBooks.data.map(({ id }: { id: string }) => id)).to.have.members(['1', '4'])
    expect((await client.get('/shelves/1/relationships/label')).body.data).to.equal(null)
    const tags = { data: [{ type: 'tags', id: redTag }] }
    const book = { data: { type: 'books', attributes: { title: 'x' }, relationships: { tags } } }
    const created = await client.post('/books?include=tags', book)
    expect(created.body.data.relationships.tags.data).to.deep.equal(tags.data)
  })

  it('UPD-04 replaces the members of the relationships that are sent', async () => {
    const { status } = await client.patch('/shelves/1', shelf({ books: books('3', '4') }, '1'))
    expect(status).to.equal(200)
    expect(readIds((await client.get('/shelves/1/relationships/books')).body.data)).to.have.members(['3', '4'])
    expect((await client.get('/shelves/1/relationships/label')).body.data.id).to.equal('1')
  })

  it('UPD-03 keeps the members of relationships that are not sent', async () => {
    expect((await client.patch('/shelves/1', shelf({}, '1'))).status).to.equal(200)
    expect((await client.get('/shelves/1/relationships/books')).body.data).to.have.length(3)
  })

  it('UPD-04 clears a to-one relationship with null when the related row has the foreign key', async () => {
    expect((await client.patch('/shelves/1', shelf({ label: { data: null } }, '1'))).status).to.equal(200)
    expect((await client.get('/labels/1')).body.data.relationships.shelf.data).to.equal(null)
  })

  it('UPD-05 returns 403 and updates nothing when a to-many relationship cannot be replaced', async () => {
    const locked = defineResource(Book, {
      type: 'books',
      fields: ({ id, string, belongsToMany }) => [id(), string('title'), belongsToMany('tags', 'tags').cannotReplace()],
    })
    const resources = libraryWith(locked).filter(({ resource }) => /books|tags/.test(resource.declaration.type))
    await inLibrary({ resources }, async ({ client: writer }) => {
      const relationships = { tags: { data: [] } }
      const data = { type: 'books', id: '1', attributes: { title: 'Changed' }, relationships }
      const pointer = '/data/relationships/tags'
      expectError(await writer.patch('/books/1', { data }), 403, 'FULL_REPLACEMENT_PROHIBITED', { pointer })
      const { body } = await writer.get('/books/1?include=tags')
      expect(body.data.attributes.title).to.equal('Emma')
      expect(body.data.relationships.tags.data).to.have.length(2)
    })
  })

  it('UPD-04 CRE-02 changes nothing and points to the member when a member is invalid', async () => {
    const faults: readonly (readonly [members: object, status: number, pointer: string])[] = [
      [{ books: books('1', '4711') }, 404, 'books/data/1'],
      [{ label: { data: { type: 'labels', id: '4711' } } }, 404, 'label/data'],
      [{ books: { data: [{ type: 'tags', id: '1' }] } }, 409, 'books/data/0/type'],
    ]
    for (const [members, status, pointer] of faults) {
      for (const response of [
        await client.post('/shelves', shelf(members)),
        await client.patch('/shelves/1', shelf(members, '1')),
      ]) {
        expect(response.status).to.equal(status)
        expect(response.body.errors[0].source).to.deep.equal({ pointer: `/data/relationships/${pointer}` })
      }
    }
    expect((await client.get('/shelves/1')).body.data.attributes.name).to.equal('Fiction')
    expect((await client.get('/shelves')).body.data).to.have.length(2)
  })

  it('UPD-04 ignores a read-only relationship with any content', async () => {
    await inLibrary({ resources: declared(...readOnlyTags()) }, async ({ client: writer }) => {
      const relationships = { tags: { data: [{ type: 'nope', id: '1' }] } }
      const response = await writer.patch('/books/1', { data: { type: 'books', id: '1', relationships } })
      expect(response.status).to.equal(200)
      expect((await writer.get('/books/1/relationships/tags')).body.data).to.have.length(2)
    })
  })
})

describe('Members hidden by a scope', () => {
  it('REL-13 returns 404 at the hidden member', async () => {
    const { client } = await catalogue()
    for (const method of methods) {
      const body = { data: [{ type: 'albums', id: '3' }] }
      const response = await client.send(method, '/artists/1/relationships/albums', { body })
      expectError(response, 404, 'RESOURCE_NOT_FOUND', { pointer: '/data/0' })
    }
  })
})

function readOnlyTags() {
  const tags = defineResource(Tag, { type: 'tags', fields: ({ id, string }) => [id(), string('name')] })
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, belongsToMany }) => [id(), string('title'), belongsToMany('tags', 'tags').readOnly()],
  })
  return [tags, books]
}
