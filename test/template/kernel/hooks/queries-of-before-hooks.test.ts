import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource } from '#kernel'
import { addSteps, type DeclaredResource, type Plugin } from '#kernel/plugin'
import { open } from '#plugins/authorization/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { Card, type CardOverrides, cardsWith } from '#test/template/support/library/cards.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { Loan } from '#test/template/support/library/loans.ts'

// Queries of `before…` hooks do not save the resource that is being written: MikroORM's flush mode AUTO would.

const execute = async (sql: string) => (await libraryDatabase()).orm.em.getConnection().execute(sql)
const newCard = { data: { type: 'cards', attributes: { code: 'a' } } }

let library: TestApp
const start = async (resources: readonly DeclaredResource[], hooks: Partial<Plugin> = {}) => {
  library = await startLibrary({
    plugins: [...plugins, { name: 'hooks', ...hooks }],
    undescribed: ['default', 'admin'],
    resources,
  })
  await emptyLibrary()
  await execute("insert into cards (id, code) values (101, 'a'), (102, 'b')")
  await execute("insert into books (id, title) values (101, 'Emma')")
  await execute("insert into loans (id, reader, book_id) values (101, 'Ada', 101)")
  await execute("insert into shelves (id, name) values (101, 'Novels')")
  return library.client
}
const close = async () => {
  await library.close()
  await emptyLibrary()
}

describe('A before… hook that queries the type of the written resource', () => {
  afterEach(close)

  const queries: CardOverrides = {
    beforeSave: async (_card, _creating, { context: { unit } }) => void (await unit.em.find(Card, { code: 'other' })),
  }
  const requests = {
    'a create': () => library.client.post('/cards', newCard),
    'an update': () => library.client.patch('/cards/102', { data: { ...newCard.data, id: '102' } }),
  }
  for (const [kind, send] of Object.entries(requests)) {
    it(`leaves the pointer in the conflict of ${kind}`, async () => {
      await start(cardsWith(queries))
      const { status, body } = await send()
      expect([status, body.errors[0].source]).to.deep.equal([409, { pointer: '/data/attributes/code' }])
    })
  }

  it('can replace a value that is taken', async () => {
    const client = await start(
      cardsWith({
        beforeCreate: async (card, { context: { unit } }) => {
          const taken = await unit.em.find(Card, { code: card.code })
          card.code = `${card.code}-${taken.length}`
        },
      }),
    )
    const { status, text } = await client.post('/cards', newCard)
    expect(status, text).to.equal(201)
    expect(await execute('select code from cards order by code')).to.deep.equal([
      { code: 'a' },
      { code: 'a-1' },
      { code: 'b' },
    ])
  })

  it('can compute a required value that the client does not send', async () => {
    const shelves = defineResource(Shelf, {
      type: 'shelves',
      fields: ({ id, string }) => [id(), string('name').readOnly()],
      policy: open,
      beforeCreate: async (shelf, { context: { unit } }) => {
        const [last] = await unit.em.find(Shelf, {}, { orderBy: { id: 'desc' }, limit: 1 })
        shelf.name = `after ${last?.name}`
      },
    })
    const client = await start([{ file: 'shelves.ts', resource: shelves }])
    const { status, body } = await client.post('/shelves', { data: { type: 'shelves' } })
    expect([status, body.data?.attributes]).to.deep.equal([201, { name: 'after Novels' }])
  })

  it('finds the entities that an earlier hook has created', async () => {
    const found: string[] = []
    const client = await start(
      cardsWith({
        beforeCreate: async (_card, { context: { unit } }) => {
          for (const { code } of await unit.em.find(Card, { code: 'earlier' })) found.push(code)
        },
      }),
      {
        plan: addSteps({
          async check({ context: { unit } }) {
            unit.em.create(Card, { code: 'earlier' })
            return undefined
          },
        }),
      },
    )
    const { status, text } = await client.post('/cards', { data: { type: 'cards', attributes: { code: 'new' } } })
    expect(status, text).to.equal(201)
    expect(found).to.deep.equal(['earlier'])
  })
})

describe('The owner of an on() attribute that a hook has changed', () => {
  afterEach(close)

  it('keeps the change of the hook beside the value of the client', async () => {
    const books = defineResource(Book, {
      type: 'books',
      fields: ({ id, string, integer }) => [id(), string('title'), integer('position')],
      policy: open,
    })
    const loans = defineResource(Loan, {
      type: 'loans',
      fields: ({ id, string, belongsTo }) => [
        id(),
        string('reader'),
        string('title').on('book'),
        belongsTo('book', 'books'),
      ],
      policy: open,
    })
    const client = await start(
      [
        { file: 'books.ts', resource: books },
        { file: 'loans.ts', resource: loans },
      ],
      {
        plan: addSteps({
          async check({ target, context: { unit } }) {
            if (target.type.name === 'loans') (await unit.em.findOneOrFail(Book, 101)).position = 7
            return undefined
          },
        }),
      },
    )
    const { status, text } = await client.patch('/loans/101', {
      data: { type: 'loans', id: '101', attributes: { title: 'Emma Woodhouse' } },
    })
    expect(status, text).to.equal(200)
    expect(await execute('select title, position from books')).to.deep.equal([{ title: 'Emma Woodhouse', position: 7 }])
  })
})
