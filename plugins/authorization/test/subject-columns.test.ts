import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource, type Principal, type ResourceType } from '#kernel'
import type { DeclaredResource, Plugin } from '#kernel/plugin'
import { meta } from '#plugins/actions/index.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { fillLibrary, redTag } from '#test/template/specification/library-rows.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'
import type { PolicyClass, PolicyRow, RelationSecurity } from '../index.ts'
import { OpenPolicy } from './open-policy.ts'

// The columns that an ability reads are selected by the statement that reads or locks the subject: here the name of the
// shelf, which is in another table.

const ada = as('ada')
const isFiction = (_: Principal | null, book: PolicyRow<Book>) => book.shelf?.name === 'Fiction'

/** No method reads a row. */
class RowlessPolicy extends OpenPolicy {
  static override readonly needs: Record<string, readonly string[]> = { ...OpenPolicy.needs, isFiction: [] }
  isFiction: typeof isFiction = () => true
}

class UpdatePolicy extends RowlessPolicy {
  static override readonly needs = { ...RowlessPolicy.needs, update: ['shelf.name'] }
  override update = isFiction
}

/** Only the method that relations and the action name reads the shelf. */
class NamedPolicy extends RowlessPolicy {
  static override readonly needs = { ...RowlessPolicy.needs, isFiction: ['shelf.name'] }
  override isFiction = isFiction
}

type Send = (client: Client) => Promise<ClientResponse>

const tags = { data: [{ type: 'tags', id: redTag }] }
const patch = (members: object) => ({ data: { type: 'books', id: '1', ...members } })
const patchTags: Send = (client) => client.patch('/books/1/relationships/tags', tags, ada)

describe('Columns that an ability reads of the subject', () => {
  after(emptyLibrary)

  const statementsFor = async (send: Send, policy: PolicyClass<Book>, security: RelationSecurity = {}) => {
    await fillLibrary()
    const options = { resources: declare(policy, security), plugins: pluginsWithTokens('ada') }
    const { client, close } = await startLibrary(options)
    try {
      const statements = await statementsOf(async () => expect((await send(client)).status).to.be.oneOf([200, 204]))
      return statements.map(({ sql }) => sql)
    } finally {
      await close()
    }
  }

  const cases: readonly (readonly [title: string, Send, PolicyClass<Book>, RelationSecurity?])[] = [
    ['an update', (client) => client.patch('/books/1', patch({ attributes: { title: 'x' } }), ada), UpdatePolicy],
    ['an action that only reads', (client) => client.get('/books/1/-actions/isFiction', ada), NamedPolicy],
    [
      'an update that names a relationship',
      (client) => client.patch('/books/1', patch({ relationships: { tags } }), ada),
      NamedPolicy,
      { mutate: 'isFiction' },
    ],
    ['a relationship write', patchTags, UpdatePolicy],
    [
      'a relationship read',
      (client) => client.get('/books/1/relationships/tags', ada),
      NamedPolicy,
      { read: 'isFiction' },
    ],
    ['a related read', (client) => client.get('/books/1/tags', ada), NamedPolicy, { read: 'isFiction' }],
  ]
  for (const [title, send, policy, security] of cases) {
    it(`are selected with the subject of ${title}`, async () => {
      const statements = await statementsFor(send, policy, security)
      const rowless = await statementsFor(send, RowlessPolicy)
      expect(statements[0]).to.match(/"shelves"/)
      const locks = rowless[0]?.startsWith('update') ? 1 : 0 // the row is not read if no ability needs it
      expect(statements).to.have.length(rowless.length + locks)
    })
  }

  it('are selected once more for the response of a relationship write, which shows the relation as it is then', async () => {
    const statements = await statementsFor(patchTags, NamedPolicy, { read: 'isFiction' })
    expect(statements.filter((sql) => /"shelves"/.test(sql))).to.have.length(2)
    expect(statements).to.have.length((await statementsFor(patchTags, RowlessPolicy)).length + 1)
  })

  it('are added to the columns that plugins before it have declared', async () => {
    const needing: Plugin = {
      name: 'needing',
      onCompile({ types }) {
        for (const type of types.values()) Object.assign(type, { needs: ['id'], linkColumns: ['id'] })
      },
    }
    class ViewPolicy extends RowlessPolicy {
      static override readonly needs = { ...RowlessPolicy.needs, view: ['position'], update: ['rating'] }
      override scope = () => true
    }
    const { app, close } = await startLibrary({ resources: declare(ViewPolicy, {}), plugins: [needing, ...plugins] })
    const { needs, linkColumns } = app.registry.types.get('books') as ResourceType
    await close()
    expect(needs).to.include.members(['id', 'position'])
    expect(linkColumns).to.deep.equal(['id', 'rating'])
  })

  it('are not selected for operations that do not require the ability', async () => {
    for (const path of ['/books/1', '/books/1/tags', '/books/1/relationships/tags']) {
      const statements = await statementsFor((client) => client.get(path, ada), NamedPolicy, { mutate: 'isFiction' })
      expect(statements.join(), path).not.to.match(/"shelves"/)
    }
  })
})

function declare(policy: PolicyClass<Book>, security: RelationSecurity): readonly DeclaredResource[] {
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, belongsToMany }) => [
      id(),
      string('title'),
      belongsToMany('tags', 'tags').security(security),
    ],
    policy,
    actions: ({ action }) => [action('isFiction', { method: 'GET', answers: 'meta', handle: () => meta({}) })],
  })
  const tags = defineResource(Tag, { type: 'tags', fields: ({ id, string }) => [id(), string('name')] })
  const shelves = defineResource(Shelf, { type: 'shelves', fields: ({ id }) => [id()] })
  return [books, tags, shelves].map((resource) => ({
    file: 'plugins/authorization/test/subject-columns.test.ts',
    resource,
  }))
}
