import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { type LiveBooks, startLiveBooks } from '#test/template/support/live-books.ts'
import type { SentEvent } from '#test/template/support/read-events.ts'

const shelves = defineResource(Shelf, {
  type: 'shelves',
  changes: true,
  fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('books', 'books')],
})
const unrecordedBooks = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, belongsTo }) => [id(), string('title'), belongsTo('shelf', 'shelves')],
})

interface Identifier {
  readonly id: string
}

/** The kind of an event, the linkage of each shelf, and the ids of included books. */
function booksIn(event: SentEvent | null) {
  const { data = [], included = [] } = event?.data ?? {}
  const ids = (list: readonly Identifier[]) => list.map(({ id }) => id).sort()
  return {
    event: event?.event,
    linkage: data.map(({ relationships }: { relationships: { books: { data: Identifier[] } } }) =>
      ids(relationships.books.data),
    ),
    included: ids(included),
  }
}

const kinds: Readonly<Record<string, readonly DeclaredResource[] | undefined>> = {
  'whose type has changes: true': undefined,
  'whose type is not recorded': [shelves, unrecordedBooks].map((resource) => ({ file: 'to-many.test.ts', resource })),
}

for (const [kind, resources] of Object.entries(kinds)) {
  describe(`A stream with an included to-many relationship to resources ${kind}`, () => {
    let books: LiveBooks
    before(async () => {
      books = await startLiveBooks({ variables: { LIVE_RECHECK_SECONDS: 10 }, ...(resources && { resources }) })
    })
    beforeEach(() => books.reset())
    after(() => books.close())

    /** Opens a stream whose collection is read again after the recheck only, and runs a statement. */
    const openAndRun = async (path: string, sql: string) => {
      const stream = await books.open(path)
      const snapshot = await books.next(stream)
      await books.pass(2_000) // the changes before the stream are read
      await books.run(sql)
      return { stream, snapshot, changedAt: books.clock.now() }
    }

    for (const [what, sql] of Object.entries({
      'moves to another resource': 'update books set shelf_id = 2 where id = 2',
      'is deleted': 'delete from books where id = 2',
    })) {
      it(`sends the resource with its new linkage when a member ${what}`, async () => {
        const { stream, snapshot, changedAt } = await openAndRun('/shelves/1?include=books', sql)
        expect(booksIn(snapshot)).to.deep.equal({ event: 'snapshot', linkage: [['1', '2']], included: ['1', '2'] })
        expect(booksIn(await books.next(stream))).to.deep.equal({ event: 'changed', linkage: [['1']], included: [] })
        const { at = Number.NaN } = books.written.find(({ text }) => text.includes('event: changed')) ?? {}
        expect(at - changedAt).to.be.at.most(300)
      })
    }

    it('sends the resource and the new member when one is added', async () => {
      const sql = `insert into books (id, title, shelf_id) values (7, 'G', 1)`
      const { stream } = await openAndRun('/shelves/1?include=books', sql)
      const event = await books.next(stream)
      expect(booksIn(event)).to.deep.equal({ event: 'changed', linkage: [['1', '2', '7']], included: ['7'] })
    })

    it('sends a member that has changed, without the resource', async () => {
      const { stream } = await openAndRun('/shelves/1?include=books', `update books set title = 'B2' where id = 2`)
      expect(booksIn(await books.next(stream))).to.deep.equal({ event: 'changed', linkage: [], included: ['2'] })
    })

    it('removes a member that leaves from the included resources when `fields` leaves out the linkage', async () => {
      const path = '/shelves/1?include=books&fields[shelves]=name'
      const { stream } = await openAndRun(path, 'update books set shelf_id = 2 where id = 2')
      expect(booksIn(await books.next(stream))).to.deep.equal({ event: 'removed', linkage: [], included: ['2'] })
    })
  })
}
