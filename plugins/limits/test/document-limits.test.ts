import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import type { Statement } from '#store'
import type { Client } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { fillShelves, withLimits } from '#test/template/support/document-limits.ts'
import { emptyLibrary, libraryDatabase } from '#test/template/support/library/index.ts'

const relationshipQueries = 'https://haddowg.github.io/json-api/profiles/relationship-queries/'

interface Case {
  readonly title: string
  readonly path: string
  /** The number of resources or identifiers in the document. */
  readonly size: number
  readonly parameter?: string
  /** The part of the document that the error names. */
  readonly part: string
  /** What the error says would be accepted. */
  readonly accepted: string
  /** The LIMIT values of all statements when the document is one too large. */
  readonly bounds: readonly number[]
  readonly headers?: Record<string, string>
}

const filter = 'a filter that selects fewer resources'
const shorterInclude = 'a shorter include, a smaller page (page[size]) or one page of each relationship (relatedQuery)'
const fewerRelationships =
  'fewer relationships (fields), a smaller page (page[size]) or one page of each (relatedQuery)'
const pageOfLinkage = 'a page (page[size]) or a filter of it'
const relatedPage = 'a page of its related URL'

const resourceCases: readonly Case[] = [
  {
    title: 'a collection without a paginator',
    path: '/shelves',
    size: 3,
    part: 'its primary data',
    accepted: filter,
    bounds: [3],
  },
  {
    title: 'a related collection without a paginator',
    path: '/shelves/1/books',
    size: 3,
    part: "the relationship 'books'",
    accepted: filter,
    bounds: [3],
  },
  {
    title: 'an include of one resource',
    path: '/shelves/1?include=books',
    size: 4,
    parameter: 'include',
    part: "the include path 'books'",
    accepted: shorterInclude,
    bounds: [3],
  },
  {
    title: 'an include of a collection',
    path: '/books?include=shelf',
    size: 9,
    parameter: 'include',
    part: "the include path 'shelf'",
    accepted: shorterInclude,
    bounds: [9],
  },
  {
    title: 'an include of the second level',
    path: '/shelves?include=books.tags',
    size: 11,
    parameter: 'include',
    part: "the include path 'books.tags'",
    accepted: shorterInclude,
    bounds: [11, 8, 7],
  },
  {
    title: 'an include that leads back to primary data',
    path: '/shelves?include=books.shelf',
    size: 9,
    parameter: 'include',
    part: "the include path 'books'",
    accepted: shorterInclude,
    bounds: [9, 6],
  },
  {
    title: 'default includes',
    path: '/volumes',
    size: 8,
    part: "the include path 'tags'",
    accepted: shorterInclude,
    bounds: [8, 7],
  },
  {
    title: 'a polymorphic include',
    path: '/boxes?include=contents',
    size: 5,
    parameter: 'include',
    part: "the include path 'contents'",
    accepted: shorterInclude,
    bounds: [5, 5],
  },
  {
    title: 'a polymorphic related collection',
    path: '/boxes/1/contents',
    size: 3,
    part: "the relationship 'contents'",
    accepted: filter,
    bounds: [3],
  },
  {
    title: 'a windowed include',
    path: '/shelves?include=pagedBooks',
    headers: { accept: `application/vnd.api+json; profile="${relationshipQueries}"` },
    size: 8,
    parameter: 'include',
    part: "the include path 'pagedBooks'",
    accepted: shorterInclude,
    bounds: [8, 8],
  },
  {
    title: 'a provider that delegates to the store',
    path: '/wings?include=books',
    size: 9,
    parameter: 'include',
    part: "the include path 'books'",
    accepted: shorterInclude,
    bounds: [9, 6],
  },
  { title: 'a collection in memory', path: '/notes', size: 2, part: 'its primary data', accepted: filter, bounds: [] },
  {
    title: 'an include of a resource in memory',
    path: '/notes/1?include=books',
    size: 4,
    parameter: 'include',
    part: "the include path 'books'",
    accepted: shorterInclude,
    bounds: [3],
  },
  {
    title: 'an include of a collection in memory',
    path: '/notes?include=books',
    size: 5,
    parameter: 'include',
    part: "the include path 'books'",
    accepted: shorterInclude,
    bounds: [3],
  },
]

const identifierCases: readonly Case[] = [
  {
    title: 'a bare linkage read',
    path: '/shelves/1/relationships/books',
    size: 3,
    parameter: 'page',
    part: "the relationship 'books'",
    accepted: pageOfLinkage,
    bounds: [3],
  },
  {
    title: 'a bare linkage read with association rows',
    path: '/lists/1/relationships/books',
    size: 3,
    part: "the relationship 'books'",
    accepted: relatedPage,
    bounds: [3],
  },
  {
    title: 'a bare polymorphic linkage read',
    path: '/boxes/1/relationships/contents',
    size: 3,
    parameter: 'page',
    part: "the relationship 'contents'",
    accepted: pageOfLinkage,
    bounds: [3],
  },
  {
    title: 'linkage rendered on every response',
    path: '/marks',
    size: 6,
    part: "the relationship 'books'",
    accepted: fewerRelationships,
    bounds: [16, 6],
  },
  {
    title: 'linkage rendered on every response to one resource',
    path: '/marks/00000000-0000-4000-8000-00000000000a',
    size: 3,
    part: "the relationship 'books'",
    accepted: fewerRelationships,
    bounds: [3],
  },
  {
    title: 'linkage of included resources',
    path: '/shelves?include=books.tags&fields[books]=tags',
    size: 12,
    parameter: 'include',
    part: "the include path 'books.tags'",
    accepted: shorterInclude,
    bounds: [5001, 12, 6],
  },
  {
    title: 'to-one linkage of a collection',
    path: '/books',
    size: 6,
    part: 'the linkage of to-one relationships',
    accepted: fewerRelationships,
    bounds: [11],
  },
  {
    title: 'to-one linkage that was included',
    path: '/books?include=shelf',
    size: 6,
    parameter: 'include',
    part: "the include path 'shelf'",
    accepted: shorterInclude,
    bounds: [11],
  },
]

describe('Document limits', () => {
  before(fillShelves)
  after(emptyLibrary)

  for (const [limit, counted, cases] of [
    ['resources', 'resources', resourceCases],
    ['identifiers', 'resource identifiers', identifierCases],
  ] as const) {
    describe(`MAX_DOCUMENT_${limit.toUpperCase()}`, () => {
      for (const limitCase of cases) {
        it(`returns 200 for ${limitCase.title} of exactly the limit, 400 for one more`, async () => {
          await withLimits({ [limit]: limitCase.size }, async ({ client }) => {
            const { status, text } = await client.get(limitCase.path, limitCase.headers)
            expect(status, text).to.equal(200)
          })
          await withLimits({ [limit]: limitCase.size - 1 }, ({ client }) => expectRefused(client, limitCase, counted))
        })
      }

      it('does not limit documents when it is 0', async () => {
        await withLimits({ [limit]: 0 }, async ({ client }) => {
          const statements = await statementsOf(async () => {
            for (const { path, headers } of cases) expect((await client.get(path, headers)).status, path).to.equal(200)
          })
          expect(statements.length).to.be.above(0)
        })
      })
    })
  }

  async function expectRefused(client: Client, limitCase: Case, counted: string): Promise<void> {
    const { path, headers, parameter, size, part, accepted, bounds } = limitCase
    const statements = await statementsOf(async () => {
      const { status, body, text } = await client.get(path, headers)
      expect(status, text).to.equal(400)
      expect(body.errors).to.have.length(1)
      expect(body.errors[0]).to.include({ code: 'DOCUMENT_TOO_LARGE', status: '400' })
      expect(body.errors[0].source).to.deep.equal(parameter && { parameter })
      expect(body.errors[0].detail).to.equal(
        `The document would have more than ${size - 1} ${counted}; ${part} exceeds the limit. Accepted instead: ${accepted}.`,
      )
    })
    expect(statements.flatMap(boundLimits), statements.map(({ sql }) => sql).join('\n')).to.deep.equal(bounds)
  }

  it('does not suggest relatedQuery if the server does not accept it', async () => {
    const others = { plugins: plugins.filter(({ name }) => name !== 'relationship-queries') }
    const suggestion = async (limits: object, path: string) => {
      const { body } = await withLimits(limits, ({ client }) => client.get(path), others)
      return body.errors[0].detail.split('Accepted instead: ')[1]
    }
    expect(await suggestion({ resources: 3 }, '/shelves/1?include=books')).to.equal(
      'a shorter include or a smaller page (page[size]).',
    )
    expect(await suggestion({ identifiers: 5 }, '/books')).to.equal(
      'fewer relationships (fields) or a smaller page (page[size]).',
    )
  })

  it('changes neither the statements nor their number when a document fits', async () => {
    const read = (limits: object) =>
      withLimits(limits, ({ client }) =>
        statementsOf(async () => {
          expect((await client.get('/shelves?include=books.tags')).status).to.equal(200)
        }),
      )
    const limited = await read({})
    const unlimited = await read({ resources: 0, identifiers: 0 })
    expect(unlimited.flatMap(boundLimits)).to.deep.equal([])
    expect(limited.map(withoutLimit)).to.deep.equal(unlimited.map(({ sql }) => sql))
    // 5,000 resources; less 3 shelves; 20,000 identifiers less 6 books
    expect(limited.flatMap(boundLimits)).to.deep.equal([5001, 4998, 19_995])
  })

  it('does not count related resources as identifiers if they are primary data', async () => {
    await withLimits({ identifiers: 2 }, async ({ client }) => {
      const { status, body } = await client.get('/shelves/1/books?fields[books]=title')
      expect(status).to.equal(200)
      expect(body.data).to.have.length(3)
    })
  })

  it('counts a resource once when several paths lead to it', async () => {
    await withLimits({ resources: 11 }, async ({ client }) => {
      const { status, body } = await client.get('/shelves?include=books.tags.books,books.shelf')
      expect(status).to.equal(200)
      expect(body.data.length + body.included.length).to.equal(11)
    })
  })

  it('returns links to the next pages of a windowed include that has exactly the limit', async () => {
    const accept = `application/vnd.api+json; profile="${relationshipQueries}"`
    await withLimits({ resources: 8 }, async ({ client }) => {
      const { body } = await client.get('/shelves?include=pagedBooks', { accept })
      expect(body.data[0].relationships.pagedBooks.links).to.have.property('next')
      expect(body.data[1].relationships.pagedBooks.links).not.to.have.property('next')
    })
  })

  describe('page sizes', () => {
    it('limits page[size] to MAX_DOCUMENT_RESOURCES, and page links reach every row', async () => {
      await withLimits({ resources: 4 }, async ({ client }) => {
        const first = await client.get('/books?page[size]=100')
        expect(first.body.data).to.have.length(4)
        expect(first.body.meta.page.perPage).to.equal(4)
        expect(first.body.links.next).to.include('page%5Bsize%5D=4')
        const second = await client.get('/books?page[size]=100&page[number]=2')
        expect(second.body.data.map(({ id }: { id: string }) => id)).to.deep.equal(['5', '6'])
      })
    })

    it('limits page[size] of linkage to MAX_DOCUMENT_IDENTIFIERS', async () => {
      await withLimits({ resources: 1, identifiers: 2 }, async ({ client }) => {
        const { status, body } = await client.get('/shelves/1/relationships/pagedBooks?page[size]=100')
        expect(status).to.equal(200)
        expect(body.data).to.have.length(2)
        expect(body.links.next).to.include('page%5Bsize%5D=2')
      })
    })

    it('limits the default page size to MAX_DOCUMENT_RESOURCES', async () => {
      await withLimits({ resources: 1 }, async ({ client }) => {
        expect((await client.get('/shelves/1/pagedBooks')).body.data).to.have.length(1)
      })
    })
  })

  describe('with the default limits and 6,000 books on a shelf', () => {
    before(async () => {
      const { orm } = await libraryDatabase()
      await orm.em
        .fork()
        .execute("insert into books (id, title, shelf_id) select n, 'Book', 3 from generate_series(1001, 6999) n")
    })

    it('returns 400 for an include, and reads 5,000 rows at most', async () => {
      await withLimits({}, async ({ client }) => {
        const statements = await statementsOf(async () => {
          const { status, body } = await client.get('/shelves/3?include=books')
          expect(status).to.equal(400)
          expect(body.errors[0]).to.deep.include({
            code: 'DOCUMENT_TOO_LARGE',
            source: { parameter: 'include' },
            detail:
              "The document would have more than 5000 resources; the include path 'books' exceeds the limit. " +
              'Accepted instead: a shorter include, a smaller page (page[size]) or one page of each relationship (relatedQuery).',
          })
        })
        expect(statements.flatMap(boundLimits)).to.deep.equal([5000])
      })
    })

    it('returns 200 for its linkage, which has 6,000 identifiers', async () => {
      await withLimits({}, async ({ client }) => {
        const { status, body } = await client.get('/shelves/3/relationships/books')
        expect(status).to.equal(200)
        expect(body.data).to.have.length(6000)
      })
    })

    it('returns pages of 5,000 books at most', async () => {
      await withLimits({}, async ({ client }) => {
        const { body } = await client.get('/books?page[size]=6000&fields[books]=title')
        expect(body.data).to.have.length(5000)
        expect(body.meta.page.perPage).to.equal(5000)
      })
    })
  })
})

/** Returns the text of a statement without its LIMIT clause. */
function withoutLimit({ sql }: Statement): string {
  const [, inner] =
    /^select \* from \(with r as materialized \((.*)\) select \* from r\) r limit \$\d+$/.exec(sql) ?? []
  return inner ?? sql.replace(/ limit \$\d+$/, '')
}

/** Returns the LIMIT values of a statement. */
function boundLimits({ sql, parameters }: Statement): number[] {
  return [...sql.matchAll(/ limit \$(\d+)/g)].map(([, number]) => Number(parameters[Number(number) - 1]))
}
