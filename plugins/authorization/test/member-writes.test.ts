import { expect } from 'chai'
import { defineResource, type Principal, type ResourceDeclaration } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { atomicHeaders } from '#test/support/batch.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Card, Deck } from '#test/template/support/library/cards.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import type { PolicyClass, PolicyRow } from '../index.ts'
import { OpenPolicy } from './open-policy.ts'

// Writes that change rows of another type: through the inverse side of a relation, or by an attribute with on().

const red = '11111111-1111-4111-8111-111111111111'
const blue = '22222222-2222-4222-8222-222222222222'
const ada = as('ada')
const book = (...ids: string[]) => ({ data: ids.map((id) => ({ type: 'books', id })) })

describe('A write that changes rows of another type', () => {
  let library: TestApp
  const start = async (declared: Declared) => {
    library = await startLibrary({ resources: declare(declared), plugins: pluginsWithTokens('ada', 'bob') })
  }
  const send = (method: string, path: string, body: object, headers: Record<string, string> = ada) =>
    library.client.send(method, path, { body, headers })
  const expectDenied = async (method: string, path: string, body: object) => {
    const before = await tables()
    expect((await send(method, path, body, {})).status, `${method} ${path}`).to.equal(401)
    expect((await send(method, path, body)).status, `${method} ${path}`).to.equal(403)
    expect(await tables(), `${method} ${path}`).to.deep.equal(before)
  }
  beforeEach(async () => {
    called.length = 0
    await fillLibrary()
  })
  afterEach(() => library.close())
  after(emptyLibrary)

  describe('that orphan removal deletes', () => {
    it('requires delete of the member, and not the mutate ability of its relation to the parent', async () => {
      class CardPolicy extends OpenPolicy {
        static override readonly needs = { ...OpenPolicy.needs, never: [] }
        never = () => false
      }
      const cards = defineResource(Card, {
        type: 'cards',
        fields: ({ id, belongsTo }) => [id(), belongsTo('deck', 'decks').security({ mutate: 'never' })],
        policy: CardPolicy,
      })
      const decks = defineResource(Deck, {
        type: 'decks',
        fields: ({ id, hasMany }) => [id(), hasMany('cards', 'cards')],
      })
      const resources = [cards, decks].map((resource) => ({ file: 'member-writes.test.ts', resource }))
      library = await startLibrary({ resources, plugins: pluginsWithTokens('ada') })
      const connection = (await libraryDatabase()).orm.em.getConnection()
      await connection.execute("insert into decks (name) values ('Deck')")
      await connection.execute("insert into cards (code, deck_id) values ('a', 1), ('b', null)")
      const members = (id: string) => ({ data: [{ type: 'cards', id }] })
      expect((await send('DELETE', '/decks/1/relationships/cards', members('1'))).status).to.equal(200)
      expect(await connection.execute('select code from cards')).to.deep.equal([{ code: 'b' }])
      expect((await send('POST', '/decks/1/relationships/cards', members('2'))).status).to.equal(403)
    })
  })

  describe('through a hasMany', () => {
    it('returns 401 or 403 and changes nothing when update denies a member that is added or removed', async () => {
      await start({ books: { policy: Locked } })
      await expectDenied('POST', '/shelves/2/relationships/books', book('2'))
      await expectDenied('DELETE', '/shelves/1/relationships/books', book('2'))
      await expectDenied('PATCH', '/shelves/1/relationships/books', book('1'))
      await expectDenied('PATCH', '/shelves/2/relationships/books', book('1', '2'))
      const relationships = { books: book('2') }
      await expectDenied('PATCH', '/shelves/2', { data: { type: 'shelves', id: '2', relationships } })
      await expectDenied('POST', '/shelves', { data: { type: 'shelves', attributes: { name: 'New' }, relationships } })
    })

    it('returns 200 when update denies only a member that stays', async () => {
      await start({ books: { policy: Locked } })
      // The policy denies changes of Emma (2), which stays; Ulysses (1) is removed.
      expect((await send('PATCH', '/shelves/1/relationships/books', book('2'))).status).to.equal(200)
      expect((await send('POST', '/shelves/1/relationships/books', book('2'))).status).to.equal(200)
    })

    it('moves the members that update allows, and runs the hooks of the member type', async () => {
      await start({ books: { policy: Locked, ...hooks } })
      expect((await send('PATCH', '/shelves/2/relationships/books', book('1'))).status).to.equal(200)
      expect(called).to.deep.equal(['before Howl 2 → null', 'before Ulysses 1 → 2', 'after Howl', 'after Ulysses'])
    })

    it('returns 500 and rolls back when a hook of a member throws', async () => {
      await start({
        books: {
          beforeUpdate() {
            throw new Error('Not this one.')
          },
        },
      })
      const before = await tables()
      expect((await send('POST', '/shelves/2/relationships/books', book('1'))).status).to.equal(500)
      expect(await tables()).to.deep.equal(before)
    })

    it('returns 403 when a member would leave the scope of the caller', async () => {
      await start({
        books: {
          policy: class extends OpenPolicy {
            override scope = () => ({ shelf: 1 })
          },
        },
      })
      await expectDenied('DELETE', '/shelves/1/relationships/books', book('1'))
    })

    it('returns 403 when the mutate ability of the inverse relation denies the change', async () => {
      await start({ books: { policy: NoMoves, ...guarded } })
      await expectDenied('PATCH', '/books/1/relationships/shelf', { data: null })
      await expectDenied('POST', '/shelves/2/relationships/books', book('1'))
      await expectDenied('PATCH', '/shelves/1/relationships/books', book())
    })

    it('passes update the member as an earlier operation of the batch changed it', async () => {
      await start({ books: { policy: Unshelved } })
      const relationships = { books: book('4') }
      const add = { op: 'add', data: { type: 'shelves', attributes: { name: 'New' }, relationships } }
      const before = await tables()
      const send = (...operations: object[]) =>
        library.client.post('/operations', { 'atomic:operations': operations }, { ...atomicHeaders, ...ada })
      expect((await send(add, add)).status).to.equal(403)
      expect(await tables()).to.deep.equal(before)
      expect((await send(add)).status).to.equal(200)
    })

    it('runs no more statements with a policy that reads the row, and one more with a dotted path', async () => {
      const countOf = async (policy?: PolicyClass<Book>) => {
        await start({ books: policy ? { policy } : {} })
        const statements = await statementsOf(async () => {
          expect((await send('POST', '/shelves/2/relationships/books', book('1', '3'))).status).to.equal(200)
        })
        await library.close()
        await fillLibrary()
        return statements.length
      }
      const without = await countOf()
      expect(await countOf(Locked)).to.equal(without)
      expect(await countOf(ByShelf)).to.equal(without + 1)
      await start({})
    })
  })

  describe('through a hasOne', () => {
    it('returns 401 or 403 when update denies the displaced row', async () => {
      await start({ labels: { policy: LockedLabel } })
      const other = { data: { type: 'labels', id: '2' } }
      await expectDenied('PATCH', '/shelves/1/relationships/label', other)
      await expectDenied('PATCH', '/shelves/1/relationships/label', { data: null })
    })
  })

  describe('through a many-to-many', () => {
    it('returns 401 or 403 and changes nothing when update denies a member on the inverse side', async () => {
      await start({ books: { policy: Locked } })
      await expectDenied('POST', `/tags/${blue}/relationships/books`, book('2'))
      await expectDenied('DELETE', `/tags/${red}/relationships/books`, book('2'))
      await expectDenied('PATCH', `/tags/${red}/relationships/books`, book('1'))
      await expectDenied('PATCH', `/tags/${red}/relationships/books`, book())
      const relationships = { books: book('2') }
      await expectDenied('POST', '/tags', { data: { type: 'tags', attributes: { name: 'new' }, relationships } })
      expect((await send('POST', `/tags/${blue}/relationships/books`, book('1'))).status).to.equal(200)
    })

    it('returns 200 for a replacement when update denies only a member that stays', async () => {
      await start({ books: { policy: Locked } })
      expect((await send('PATCH', `/tags/${red}/relationships/books`, book('1', '2', '3'))).status).to.equal(200)
    })

    it('returns 401 or 403 when the mutate ability of the inverse relation denies the change', async () => {
      await start({ books: { policy: NoMoves, ...guarded } })
      await expectDenied('DELETE', '/books/1/relationships/tags', { data: [{ type: 'tags', id: red }] })
      await expectDenied('DELETE', `/tags/${red}/relationships/books`, book('1'))
      await expectDenied('POST', `/tags/${blue}/relationships/books`, book('1'))
    })

    it('requires the mutate ability of the inverse relation also if the check of updates is switched off', async () => {
      const fields: ResourceDeclaration<Book>['fields'] = ({ id, string, belongsToMany }) => [
        id(),
        string('title'),
        belongsToMany('tags', 'tags').security({ mutate: 'never' }),
      ]
      await start({ books: { policy: NoMoves, fields, abilities: { update: false } } })
      await expectDenied('POST', `/tags/${blue}/relationships/books`, book('1'))
    })

    it('is authorized by linkable in place of update', async () => {
      await start({
        books: {
          policy: class extends Locked {
            static override readonly needs = { ...Locked.needs, linkable: [] }
            override linkable = (principal: Principal | null) => principal !== null
          },
        },
      })
      expect((await send('POST', `/tags/${blue}/relationships/books`, book('2'))).status).to.equal(200)
      expect((await send('DELETE', `/tags/${blue}/relationships/books`, book('2'), {})).status).to.equal(401)
    })

    it('returns 403 when update denies a member that the same batch created', async () => {
      await start({ books: { policy: NoUpdate } })
      const operations = [
        { op: 'add', data: { type: 'books', lid: 'b', attributes: { title: 'Walden' } } },
        { op: 'add', ref: { type: 'tags', id: red, relationship: 'books' }, data: [{ type: 'books', lid: 'b' }] },
      ]
      const before = await tables()
      const { status } = await library.client.post(
        '/operations',
        { 'atomic:operations': operations },
        { ...atomicHeaders, ...ada },
      )
      expect(status).to.equal(403)
      expect(await tables()).to.deep.equal(before)
    })

    it('runs two more statements with a policy: they read the parent and the members', async () => {
      const countOf = async (policy?: PolicyClass<Book>) => {
        await start({ books: policy ? { policy } : {} })
        const statements = await statementsOf(async () => {
          expect((await send('POST', `/tags/${blue}/relationships/books`, book('1', '3'))).status).to.equal(200)
        })
        await library.close()
        await fillLibrary()
        return statements.length
      }
      const without = await countOf()
      for (const policy of [Locked, ByShelf]) expect(await countOf(policy)).to.equal(without + 2)
      await start({})
    })

    it('returns 200 without calling the policy when the program dispatches without a principal', async () => {
      await start({ books: { policy: Locked } })
      const response = await library.app.dispatch({
        kind: 'AddToRelationship',
        type: 'tags',
        id: blue,
        relation: 'books',
        data: [{ type: 'books', id: '2' }],
      })
      expect(response.status).to.equal(200)
    })
  })

  describe('through an attribute declared with on()', () => {
    const onShelf: Partial<ResourceDeclaration<Book>> = {
      fields: ({ id, string, belongsTo }) => [
        id(),
        string('title').required(),
        string('shelfName')
          .on('shelf')
          .storedAs('name' as never),
        belongsTo('shelf', 'shelves'),
      ],
    }
    const rename = (id: string) => ({ data: { type: 'books', id, attributes: { shelfName: 'Renamed' } } })

    it('returns 401 or 403 when update denies the row that holds the value', async () => {
      await start({ books: onShelf, shelves: { policy: LockedShelf } })
      await expectDenied('PATCH', '/books/3', rename('3'))
      expect((await send('PATCH', '/books/1', rename('1'))).status).to.equal(200)
    })
  })
})

const called: string[] = []
const hooks: Partial<ResourceDeclaration<Book>> = {
  beforeUpdate(entity, original) {
    const shelfOf = ({ shelf }: { shelf?: unknown }) => (shelf as { id: number } | null)?.id ?? null
    called.push(`before ${entity.title} ${shelfOf(original as never)} → ${shelfOf(entity as never)}`)
  },
  afterUpdate(entity) {
    called.push(`after ${entity.title}`)
    return undefined
  },
}

/** Denies changes of Emma, and all changes by an anonymous caller. */
class Locked extends OpenPolicy {
  static override readonly needs: Record<string, readonly string[]> = { view: [], update: ['title'], delete: [] }
  override update(principal: Principal | null, { title }: PolicyRow<Book>) {
    return principal !== null && title !== 'Emma'
  }
}

/** Decides by a column of a related row. */
class ByShelf extends OpenPolicy {
  static override readonly needs = { view: [], update: ['shelf.name'], delete: [] }
  override update(_: Principal | null, row: PolicyRow<Book>) {
    return row.shelf?.name !== 'Closed'
  }
}

/** Has an ability that always denies, used for relations. */
class NoMoves extends OpenPolicy {
  static override readonly needs = { ...OpenPolicy.needs, never: [] }
  never = () => false
}

const guarded: Partial<ResourceDeclaration<Book>> = {
  fields: ({ id, string, belongsTo, belongsToMany }) => [
    id(),
    string('title').required(),
    belongsTo('shelf', 'shelves').security({ mutate: 'never' }),
    belongsToMany('tags', 'tags').security({ mutate: 'never' }),
  ],
}

/** Allows changes only of books without a shelf. */
class Unshelved extends OpenPolicy {
  static override readonly needs = { view: [], update: ['shelf.id'], delete: [] }
  override update(_: Principal | null, { shelf }: PolicyRow<Book>) {
    return shelf === null
  }
}

class NoUpdate extends OpenPolicy {
  override update() {
    return false
  }
}

class LockedLabel extends OpenPolicy {
  static override readonly needs = { view: [], update: ['text'], delete: [] }
  override update = (principal: Principal | null, { text }: PolicyRow<Label>) => principal !== null && text !== 'A–K'
}

class LockedShelf extends OpenPolicy {
  static override readonly needs = { view: [], update: ['name'], delete: [] }
  override update = (principal: Principal | null, { name }: PolicyRow<Shelf>) =>
    principal !== null && name === 'Fiction'
}

interface Declared {
  readonly books?: Partial<ResourceDeclaration<Book>>
  readonly labels?: Partial<ResourceDeclaration<Label>>
  readonly shelves?: Partial<ResourceDeclaration<Shelf>>
}

function declare(declared: Declared): readonly DeclaredResource[] {
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, belongsTo, belongsToMany }) => [
      id(),
      string('title').required(),
      belongsTo('shelf', 'shelves'),
      belongsToMany('tags', 'tags'),
    ],
    ...declared.books,
  })
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, string, hasMany, hasOne }) => [
      id(),
      string('name').required(),
      hasMany('books', 'books'),
      hasOne('label', 'labels'),
    ],
    ...declared.shelves,
  })
  const tags = defineResource(Tag, {
    type: 'tags',
    fields: ({ id, string, belongsToMany }) => [
      id().uuid().generated(),
      string('name'),
      belongsToMany('books', 'books'),
    ],
  })
  const labels = defineResource(Label, {
    type: 'labels',
    fields: ({ id, string, belongsTo }) => [id(), string('text'), belongsTo('shelf', 'shelves')],
    ...declared.labels,
  })
  return [books, shelves, tags, labels].map((resource) => ({
    file: 'plugins/authorization/test/member-writes.test.ts',
    resource,
  }))
}

async function fillLibrary(): Promise<void> {
  await emptyLibrary()
  const connection = (await libraryDatabase()).orm.em.getConnection()
  await connection.execute("insert into shelves (name) values ('Fiction'), ('Poetry')")
  await connection.execute("insert into books (title, shelf_id) values ('Ulysses', 1), ('Emma', 1), ('Howl', 2)")
  await connection.execute("insert into books (title) values ('Walden')")
  await connection.execute("insert into labels (text, shelf_id) values ('A–K', 1), ('L–Z', null)")
  await connection.execute(`insert into tags (id, name) values ('${red}', 'red'), ('${blue}', 'blue')`)
  await connection.execute(`insert into book_tags (book_id, tag_id) values (1, '${red}'), (2, '${red}')`)
}

async function tables(): Promise<unknown> {
  const connection = (await libraryDatabase()).orm.em.getConnection()
  const names = ['shelves', 'books', 'tags', 'labels', 'book_tags']
  return Promise.all(names.map((name) => connection.execute(`select * from ${name} order by 1, 2`)))
}
