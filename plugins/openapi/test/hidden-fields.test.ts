import { expect } from 'chai'
import { defineResource } from '#kernel'
import { buildApp } from '#test/support/app.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { libraryDatabase } from '#test/template/support/library/index.ts'
import { describeApp } from '../index.ts'

// The document does not name fields that are hidden from all requesters.

const books = defineResource(Book, {
  type: 'books',
  policy: 'open',
  fields: ({ id, string, integer, decimal, map, obj, belongsTo, belongsToMany }) => [
    id(),
    string('title').required(),
    integer('concealedPosition').storedAs('position').hidden(),
    string('concealedSecret').storedAs('secret').nullable().hidden(),
    string('secret').nullable().writeOnly(),
    map('facts', decimal('rating').nullable(), decimal('concealedRating').storedAs('rating').nullable().hidden()),
    obj('extra', string('note'), string('concealedNote').hidden()).serializeUsing(() => ({})),
    belongsTo('concealedShelf', 'shelves').storedAs('shelf').hidden(),
    belongsToMany('concealedTags', 'tags').storedAs('tags').hidden(),
  ],
})
const shelves = defineResource(Shelf, {
  type: 'shelves',
  policy: 'open',
  fields: ({ id, string, hasMany, hasOne }) => [
    id(),
    string('name'),
    hasMany('concealedBooks', 'books').storedAs('books').hidden(),
    hasOne('concealedLabel', 'labels').storedAs('label').hidden(),
  ],
})
const tags = defineResource(Tag, {
  type: 'tags',
  policy: 'open',
  fields: ({ id, string, belongsToMany }) => [
    id(),
    string('name').hiddenFor(() => false),
    belongsToMany('books', 'books'),
  ],
})
const labels = defineResource(Label, {
  type: 'labels',
  policy: 'open',
  fields: ({ id, string, belongsTo }) => [id(), string('text'), belongsTo('shelf', 'shelves')],
})

describe('The OpenAPI document of types with hidden fields', () => {
  const describeBooks = async () => {
    const resources = [books, shelves, tags, labels].map((resource) => ({ file: import.meta.filename, resource }))
    const app = await buildApp({ database: await libraryDatabase(), resources })
    const [document] = describeApp(app, {}).values()
    await app.close()
    return JSON.parse(JSON.stringify(document))
  }

  it('contains no name of a field with hidden()', async () => {
    const names = JSON.stringify(await describeBooks()).match(/\w*concealed\w*/gi) ?? []
    expect(names).to.deep.equal([])
  })

  it('marks attributes as optional for clients only if a response may contain them', async () => {
    const { components } = (await describeBooks()) as { components: { schemas: Record<string, object> } }
    expect(components.schemas.BooksAttributes).not.to.have.property('x-client')
    expect(components.schemas.TagsAttributes).to.have.deep.property('x-client', { optional: ['name'] })
  })
})
