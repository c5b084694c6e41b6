import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { resourceNotFound } from '#kernel/errors'
import { isData, listMembers, type Plugin } from '#kernel/plugin'
import { add, expectFailure, readTables, sendBatch } from '#test/support/batch.ts'
import type { ClientResponse } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { fillShelves, tagIds, withLimits } from '#test/template/support/document-limits.ts'
import { emptyLibrary, libraryDatabase } from '#test/template/support/library/index.ts'
import { typeSteps } from '#test/template/support/type-steps.ts'

const book = (id: number) => ({ type: 'books', id: String(id) })

describe('Document limits of writes', () => {
  beforeEach(fillShelves)
  after(emptyLibrary)

  const expectUnchanged = async (run: () => Promise<void>) => {
    const before = await readTables(await libraryDatabase())
    await run()
    expect(await readTables(await libraryDatabase())).to.deep.equal(before)
  }

  describe('POST and PATCH with an include', () => {
    const created = (books: readonly number[]) => ({
      data: {
        type: 'shelves',
        attributes: { name: 'New' },
        relationships: { books: { data: books.map(book) } },
      },
    })
    const updated = { data: { type: 'shelves', id: '1', attributes: { name: 'Changed' } } }

    it('returns 201 when the document has exactly MAX_DOCUMENT_RESOURCES', async () => {
      await withLimits({ resources: 3 }, async ({ client }) => {
        const { status, text } = await client.post('/shelves?include=books', created([1, 2]))
        expect(status, text).to.equal(201)
      })
    })

    it('returns 400 for a POST and commits nothing when the document has one more', async () => {
      await withLimits({ resources: 3 }, ({ client }) =>
        expectUnchanged(async () => {
          expectTooLarge(await client.post('/shelves?include=books', created([1, 2, 3])), { parameter: 'include' })
        }),
      )
    })

    it('returns 200 for a PATCH at the limit, and 400 without a commit beyond it', async () => {
      await withLimits({ resources: 4 }, async ({ client }) => {
        expect((await client.patch('/shelves/1?include=books', updated)).status).to.equal(200)
      })
      await fillShelves()
      await withLimits({ resources: 3 }, ({ client }) =>
        expectUnchanged(async () => {
          expectTooLarge(await client.patch('/shelves/1?include=books', updated), { parameter: 'include' })
        }),
      )
    })

    it('returns 400 and commits nothing when linkage rendered on every response is too large', async () => {
      const renamed = { data: { type: 'marks', id: tagIds[0], attributes: { name: 'Changed' } } }
      await withLimits({ identifiers: 2 }, ({ client }) =>
        expectUnchanged(async () => expectTooLarge(await client.patch(`/marks/${tagIds[0]}`, renamed))),
      )
      await withLimits({ identifiers: 3 }, async ({ client }) => {
        expect((await client.patch(`/marks/${tagIds[0]}`, renamed)).status).to.equal(200)
      })
    })

    it('returns 400 and commits nothing when the keys of a new row are too many identifiers', async () => {
      const shelf = { data: { type: 'shelves', id: '1' } }
      const copy = { data: { type: 'copies', attributes: { title: 'New' }, relationships: { shelf } } }
      await withLimits({ identifiers: 1 }, ({ client }) =>
        expectUnchanged(async () => expectTooLarge(await client.post('/copies', copy))),
      )
      await withLimits({ identifiers: 2 }, async ({ client }) => {
        expect((await client.post('/copies', copy)).status).to.equal(201)
      })
    })
  })

  describe('Relationship writes', () => {
    it('returns 204 instead of linkage larger than identifiers, and commits', async () => {
      await withLimits({ identifiers: 3 }, async ({ client }) => {
        const answer = await client.post('/shelves/1/relationships/books', { data: [book(4)] })
        expect(answer.status, answer.text).to.equal(204)
        expect((await client.get('/books/4/relationships/shelf')).body.data.id).to.equal('1')
        expect((await client.delete('/shelves/1/relationships/books', { data: [book(1)] })).status).to.equal(200)
      })
    })

    it('returns 204 for PATCH and for a polymorphic relationship', async () => {
      await withLimits({ identifiers: 2 }, async ({ client }) => {
        const replaced = await client.patch('/shelves/2/relationships/books', { data: [book(1), book(2), book(3)] })
        expect(replaced.status, replaced.text).to.equal(204)
        const added = await client.post('/boxes/1/relationships/contents', { data: [book(5)] })
        expect(added.status, added.text).to.equal(204)
      })
      await withLimits({}, async ({ client }) => {
        expect((await client.get('/shelves/2/relationships/books')).body.data).to.have.length(3)
        expect((await client.get('/boxes/1/relationships/contents')).body.data).to.have.length(4)
      })
    })

    it('returns any other error while the linkage is read, and commits nothing', async () => {
      const failing: Plugin = {
        name: 'failing',
        ...typeSteps({
          beforeRelationLoad({ primary }) {
            if (primary) throw resourceNotFound({ type: 'shelves', id: '1' })
          },
        }),
      }
      await expectUnchanged(async () => {
        const { status } = await withLimits(
          {},
          ({ client }) => client.post('/shelves/1/relationships/books', { data: [book(4)] }),
          { plugins: [...plugins, failing] },
        )
        expect(status).to.equal(404)
      })
    })

    it('reads at most one identifier more than identifiers', async () => {
      await withLimits({ identifiers: 2 }, async ({ client }) => {
        const statements = await statementsOf(() => client.post('/shelves/1/relationships/books', { data: [book(4)] }))
        const last = statements.at(-1)
        expect(last?.sql).to.match(/ limit \$2$/)
        expect(last?.parameters.at(-1)).to.equal(3)
      })
    })
  })

  describe('Batches', () => {
    const adds = (count: number) =>
      Array.from({ length: count }, (_, index) => add('shelves', { name: `New ${index}` }))
    const rename = (id: string) => ({
      op: 'update',
      data: { type: 'marks', id, attributes: { name: `New ${id.at(-1)}` } },
    })

    it('returns 200 when all results together have exactly MAX_DOCUMENT_RESOURCES', async () => {
      await withLimits({ resources: 3 }, async ({ client }) => {
        const answer = await sendBatch(client, adds(3))
        expect(answer.status, answer.text).to.equal(200)
      })
    })

    it('returns 400 at the first operation beyond the limit, and commits nothing', async () => {
      await withLimits({ resources: 3 }, ({ client }) =>
        expectUnchanged(async () => {
          const answer = await sendBatch(client, adds(4))
          expectFailure(answer, 400, 'DOCUMENT_TOO_LARGE', '/atomic:operations/3')
          expect(answer.body.errors[0].detail).to.include('fewer operations')
        }),
      )
    })

    it('counts the identifiers of all results together', async () => {
      await withLimits({ identifiers: 5 }, ({ client }) =>
        expectUnchanged(async () => {
          const answer = await sendBatch(client, tagIds.map(rename))
          expectFailure(answer, 400, 'DOCUMENT_TOO_LARGE', '/atomic:operations/1')
        }),
      )
      await withLimits({ identifiers: 6 }, async ({ client }) => {
        expect((await sendBatch(client, tagIds.map(rename))).status).to.equal(200)
      })
    })
  })

  describe('app.dispatch', () => {
    const instruction = { kind: 'FetchOne', type: 'shelves', id: '1', query: 'include=books' } as const

    it('resolves when the document has exactly MAX_DOCUMENT_RESOURCES, and rejects when it has one more', async () => {
      await withLimits({ resources: 4 }, async ({ app }) => {
        const response = await app.dispatch(instruction)
        expect(isData(response) && listMembers(response)).to.have.length(1)
      })
      await withLimits({ resources: 3 }, async ({ app }) => {
        const error = await app.dispatch(instruction).catch((thrown) => thrown)
        expect(error.definition.code).to.equal('DOCUMENT_TOO_LARGE')
      })
    })

    it('rolls back a write whose include has one resource too many', async () => {
      await withLimits({ resources: 3 }, ({ app }) =>
        expectUnchanged(async () => {
          const update = { kind: 'Update', type: 'shelves', id: '1', query: 'include=books' } as const
          const error = await app.dispatch({ ...update, attributes: { name: 'Changed' } }).catch((thrown) => thrown)
          expect(error.definition.code).to.equal('DOCUMENT_TOO_LARGE')
        }),
      )
    })
  })
})

function expectTooLarge({ status, body, text }: ClientResponse, source?: { readonly parameter: string }): void {
  expect(status, text).to.equal(400)
  expect(body.errors).to.have.length(1)
  expect(body.errors[0].code).to.equal('DOCUMENT_TOO_LARGE')
  expect(body.errors[0].source).to.deep.equal(source)
}
