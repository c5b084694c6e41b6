import { expect } from 'chai'
import type { ResourceDeclaration } from '#app/kernel/schema/resource-type.ts'
import { type Caller, defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { atomicHeaders } from '#test/support/batch.ts'
import type { ClientResponse } from '#test/support/client.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { Book } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

// Book 1 has the position 3, which the rating must exceed. A 422 for some ratings would reveal it.

const isBob = ({ principal }: Caller) => principal?.identifier === 'bob'

describe('compareWith() another field', () => {
  let library: TestApp
  const start = async (declaration: Declaration) => {
    library = await startLibrary({ resources: declare(declaration), plugins: pluginsWithTokens('ada', 'bob') })
  }
  const update = (id: string, attributes: object, principal: string): Promise<ClientResponse> =>
    library.client.patch(`/books/${id}`, { data: { type: 'books', id, attributes } }, as(principal))
  const statusOf = async (attributes: object, principal: string, id = '1') =>
    (await update(id, attributes, principal)).status
  beforeEach(fillLibrary)
  afterEach(() => library.close())
  after(emptyLibrary)

  it('accepts every value when the other field is hidden from all', async () => {
    await start({
      fields: ({ id, decimal, integer }) => [
        id(),
        decimal('rating').compareWith('position', 'GreaterThan'),
        integer('position').hidden(),
      ],
    })
    for (const rating of [2, 4]) expect(await statusOf({ rating }, 'bob')).to.equal(200)
  })

  it('accepts every value when hiddenFor hides the other field from the requester, and returns 422 to others', async () => {
    await start({
      fields: ({ id, decimal, integer }) => [
        id(),
        decimal('rating').compareWith('position', 'GreaterThan'),
        integer('position').hiddenFor(isBob),
      ],
    })
    for (const [principal, status] of Object.entries({ bob: 200, ada: 422 })) {
      expect(await statusOf({ rating: 2 }, principal), principal).to.equal(status)
      expect(await statusOf({ rating: 4 }, principal), principal).to.equal(200)
    }
  })

  it('accepts every value in a batch when hiddenFor hides the other field from the requester', async () => {
    await start({
      fields: ({ id, decimal, integer }) => [
        id(),
        decimal('rating').compareWith('position', 'GreaterThan'),
        integer('position').hiddenFor(isBob),
      ],
    })
    const operation = { op: 'update', data: { type: 'books', id: '1', attributes: { rating: 2 } } }
    const body = { 'atomic:operations': [operation] }
    for (const [principal, status] of Object.entries({ bob: 200, ada: 422 })) {
      const response = await library.client.post('/operations', body, { ...atomicHeaders, ...as(principal) })
      expect(response.status, principal).to.equal(status)
    }
  })

  for (const [path, others] of Object.entries<Partial<Declaration>>({
    'a row': {},
    'an entity': { hydrator: { hydrate() {} } },
  })) {
    it(`accepts every value when a function hides the other field of ${path}, and returns 422 otherwise`, async () => {
      await start({
        ...others,
        fields: ({ id, string, decimal, integer }) => [
          id(),
          string('title'),
          decimal('rating').compareWith('position', 'GreaterThan'),
          integer('position').hidden(({ title }) => title === 'Emma'),
        ],
      })
      for (const rating of [2, 4]) expect(await statusOf({ rating }, 'bob')).to.equal(200)
      expect(await statusOf({ rating: 1 }, 'bob', '2')).to.equal(422)
      expect(await statusOf({ rating: 4 }, 'bob', '2')).to.equal(200)
    })
  }

  it('accepts every value when the field that declares the comparison is hidden', async () => {
    await start({
      fields: ({ id, decimal, integer }) => [
        id(),
        decimal('rating').compareWith('position', 'GreaterThan').hiddenFor(isBob),
        integer('position'),
      ],
    })
    for (const [principal, status] of Object.entries({ bob: 200, ada: 422 })) {
      expect(await statusOf({ position: 100 }, principal), principal).to.equal(status)
      await fillLibrary()
    }
  })

  it('accepts every value when the object that holds both fields is hidden', async () => {
    for (const hide of ['hiddenFor', 'hidden'] as const) {
      await start({
        fields: ({ id, map, decimal, integer }) => {
          const both = map('numbers', decimal('rating').compareWith('position', 'GreaterThan'), integer('position'))
          return [
            id(),
            hide === 'hiddenFor' ? both.hiddenFor(isBob) : both.hidden((_, caller) => !caller || isBob(caller)),
          ]
        },
      })
      expect(await statusOf({ numbers: { rating: 2 } }, 'ada'), hide).to.equal(422)
      expect(await statusOf({ numbers: { rating: 2 } }, 'bob'), hide).to.equal(200)
      await library.close()
    }
  })

  it('returns 422 when the request sends both fields', async () => {
    await start({
      fields: ({ id, decimal, integer }) => [
        id(),
        decimal('rating').compareWith('position', 'GreaterThan'),
        integer('position').hiddenFor(isBob),
      ],
    })
    expect(await statusOf({ rating: 2, position: 2 }, 'bob')).to.equal(422)
    expect(await statusOf({ rating: 2, position: 1 }, 'bob')).to.equal(200)
  })
})

type Declaration = Pick<ResourceDeclaration<Book>, 'fields' | 'hydrator'>

function declare(declaration: Declaration): readonly DeclaredResource[] {
  return [{ file: 'hidden-values.test.ts', resource: defineResource(Book, { type: 'books', ...declaration }) }]
}
