import { expect } from 'chai'
import type { ResourceDeclaration } from '#app/kernel/schema/resource-type.ts'
import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { OpenPolicy } from '../../authorization/test/open-policy.ts'
import { versionsProfile } from '../index.ts'

// Attributes declared with on() are stored in related rows, whose versions are part of the version of the resource.

const accept = `application/vnd.api+json; profile="${versionsProfile}"`

describe('The version of a resource with an attribute declared with on()', () => {
  let library: TestApp
  const start = async (fields: Fields) => {
    library = await startLibrary({ resources: declare(fields) })
  }
  const versionOf = async (path: string): Promise<string> => {
    const { status, headers, body } = await library.client.get(path, { accept })
    expect(status, path).to.equal(200)
    expect(headers.get('etag')).to.match(new RegExp(`^"${body.data.meta.version}-`))
    return body.data.meta.version
  }
  const change = async (sql: string) => (await libraryDatabase()).orm.em.getConnection().execute(sql)
  const rename = (name: string) => change(`update shelves set name = '${name}' where id = 1`)
  beforeEach(fillLibrary)
  afterEach(() => library.close())
  after(emptyLibrary)

  for (const [condition, fields] of Object.entries<Fields>({
    'the relation has a read ability': ({ string, belongsTo }) => [
      string('name').on('shelf'),
      belongsTo('shelf', 'shelves').security({ read: 'never' }),
    ],
    'hiddenFor hides the attribute and the relation': ({ string, belongsTo }) => [
      string('name')
        .on('shelf')
        .hiddenFor(() => true),
      belongsTo('shelf', 'shelves').hiddenFor(() => true),
    ],
    'a function hides the attribute and the relation by row': ({ string, belongsTo }) => [
      string('name')
        .on('shelf')
        .hidden(() => true),
      belongsTo('shelf', 'shelves').hidden(() => true),
    ],
    'the attribute alone is write-only': ({ string, belongsTo }) => [
      string('name').on('shelf').writeOnly(),
      belongsTo('shelf', 'shelves'),
    ],
    'the attribute is write-only and the relation hidden': ({ string, belongsTo }) => [
      string('name').on('shelf').writeOnly(),
      belongsTo('shelf', 'shelves').hidden(),
    ],
    'the attribute over a hidden relation is converted': ({ string, belongsTo }) => [
      string('name')
        .on('shelf')
        .serializeUsing(() => 'x'),
      belongsTo('shelf', 'shelves').hidden(),
    ],
  })) {
    it(`does not depend on the related row when ${condition}`, async () => {
      await start(fields)
      const before = await versionOf('/books/1')
      expect(before).to.match(/^\d+$/)
      await rename('Changed')
      expect(await versionOf('/books/1')).to.equal(before)
    })
  }

  it('depends on the shown value, not on the related row, when the relation is hidden', async () => {
    await start(({ string, belongsTo }) => [
      string('name').on('shelf').nullable(),
      belongsTo('shelf', 'shelves').hidden(),
    ])
    const before = await versionOf('/books/1')
    const [, ofShelf] = before.split('.')
    expect(ofShelf).not.to.equal(await versionOf('/shelves/1'))
    expect(await versionOf('/books/4')).to.match(/^\d+\.0$/)
    await change('update shelves set removed_at = now() where id = 1')
    expect(await versionOf('/books/1')).to.equal(before)
    await rename('Poetry')
    await change('update books set shelf_id = 2 where id = 4')
    const after = await versionOf('/books/1')
    expect(after).not.to.equal(before)
    expect((await versionOf('/books/4')).split('.')[1]).to.equal(after.split('.')[1])
    const patch = (tag: string) =>
      library.client.patch(
        '/books/1',
        { data: { type: 'books', id: '1', attributes: { name: 'Novels' } } },
        { 'if-match': `"${tag}"` },
      )
    expect((await patch(before)).status).to.equal(412)
    expect((await patch(after)).status).to.equal(200)
  })
})

type Fields = NonNullable<ResourceDeclaration<Book>['fields']>

class Unreadable extends OpenPolicy {
  static override readonly needs = { ...OpenPolicy.needs, never: [] }
  never = () => false
}

function declare(fields: Fields): readonly DeclaredResource[] {
  const books = defineResource(Book, {
    type: 'books',
    policy: Unreadable,
    fields: (builders) => [builders.id(), builders.string('title'), ...fields(builders)],
  })
  const shelves = defineResource(Shelf, { type: 'shelves', fields: ({ id, string }) => [id(), string('name')] })
  return [books, shelves].map((resource) => ({ file: 'hidden-rows.test.ts', resource }))
}
