import { expect } from 'chai'
import { all, any, type Condition, compare, exists, isIn, isNull, native, never, not, textMatch } from '#kernel'
import { ofPivot } from '#kernel/queries'
import { createQuery, inWriteScopeKey, keysetKey, type Page, type Query, type Row, type Window } from '#kernel/store'
import { type Fixture, january, type Storage, startFixture, tagId } from './fixture.ts'

/** Tests that every provider must pass, independent of its storage. */
export function providerLaws(storage: Storage): void {
  describe(`Provider: ${storage}`, () => {
    let fixture: Fixture

    before(async () => {
      fixture = await startFixture(storage)
    })
    after(() => fixture.close())

    const queryOf = (name: string, query: Partial<Query> = {}): Query => ({
      ...createQuery({ type: fixture.type(name) }),
      ...query,
    })
    const read = (name: string, query: Partial<Query> = {}): Promise<Page> => {
      const type = fixture.type(name)
      return fixture.inContext((context) => type.provider.collection(type, queryOf(name, query), context))
    }
    const idsOf = ({ records }: Page) => records.map(({ id }) => id)
    const idsWhere = async (condition: Condition, name = 'books') => idsOf(await read(name, { where: [condition] }))
    const by = (property: string, descending = false) => [{ key: property, property, descending }]
    const isFirst = compare('position', '=', 1)

    for (const [title, found] of Object.entries<[Condition, readonly unknown[]][]>({
      'and, or, not and never': [
        [any(isFirst, compare('position', '=', 2)), [1, 2]],
        [all(any(isFirst, compare('position', '=', 2)), not(isFirst)), [2]],
        [all(), [1, 2, 3, 4, 5]],
        [any(), []],
        [never, []],
        [not(never), [1, 2, 3, 4, 5]],
      ],
      'comparisons, which are false for null, with a negation that is true': [
        [compare('rating', '=', 3.5), [2]],
        [compare('rating', '!=', 3.5), [1, 3]],
        [compare('rating', '>', 3.5), [3]],
        [compare('rating', '>=', 3.5), [2, 3]],
        [compare('rating', '<', 3.5), [1]],
        [compare('rating', '<=', 3.5), [1, 2]],
        [compare('rating', '=', null), []],
        [compare('rating', '!=', null), []],
        [not(compare('rating', '=', 3.5)), [1, 3, 4, 5]],
        [not(not(compare('rating', '=', 3.5))), [2]],
        [not(any(compare('rating', '>', 1), isFirst)), [4, 5]],
      ],
      'null tests': [
        [isNull('rating'), [4, 5]],
        [not(isNull('rating')), [1, 2, 3]],
      ],
      'lists of values, compared by value': [
        [isIn('position', [2, 5, 99]), [2, 5]],
        [isIn('position', [2]), [2]],
        [isIn('position', []), []],
        [not(isIn('position', [])), [1, 2, 3, 4, 5]],
        [isIn('rating', [5, null]), [3]],
        [isIn('printedAt', [new Date(january)]), [1]],
        [isIn('printedAt', [new Date(january), new Date(0)]), [1]],
        [compare('printedAt', '=', new Date(january)), [1]],
        [compare('printedAt', '<', new Date(january)), []],
      ],
      'NaN and invalid dates, which match nothing': [
        [compare('position', '=', Number.NaN), []],
        [compare('position', '!=', Number.NaN), []],
        [not(compare('rating', '<', Number.NaN)), [1, 2, 3, 4, 5]],
        [isIn('position', [Number.NaN]), []],
        [isIn('position', [Number.NaN, 1, 5]), [1, 5]],
        [compare('printedAt', '>', new Date(Number.NaN)), []],
        [isIn('printedAt', [new Date(Number.NaN), new Date(january)]), [1]],
      ],
      'texts, case-insensitive for ASCII letters only': [
        [textMatch('title', 'contains', 'E'), [1, 2, 3]],
        [textMatch('title', 'starts', 'THE'), [1]],
        [textMatch('title', 'ends', 'est'), [2]],
        [textMatch('title', 'contains', ''), [1, 2, 3, 4, 5]],
        [textMatch('title', 'contains', 'É'), [3]],
        [textMatch('title', 'contains', 'é'), []],
        [textMatch('position', 'contains', '1'), []],
      ],
      'texts with special characters': [
        [textMatch('title', 'contains', '%'), [4]],
        [textMatch('title', 'contains', '0%'), [4]],
        [textMatch('title', 'contains', '_'), [5]],
        [textMatch('title', 'contains', 'a\\b'), [5]],
        [textMatch('title', 'ends', '\\'), []],
        [textMatch('title', 'contains', `' or true; drop table books; -- \\ $1 ? ::`), []],
        [isIn('title', [`' or true --`, '"}', 'The first']), [1]],
      ],
      'plain filters of MikroORM': [
        [native({ position: { $gt: 1, $lte: 3 } }), [2, 3, 4]],
        [native({ rating: null }), [4, 5]],
        [native({ rating: { $ne: null } }), [1, 2, 3]],
        [native({ $or: [{ position: 1 }, { $and: [{ position: 3 }, { rating: { $gte: 4 } }] }] }), [1, 3]],
        [native({ printedAt: { $in: [new Date(january)] } }), [1]],
      ],
    })) {
      it(`evaluates ${title}`, async () => {
        for (const [condition, ids] of found) {
          expect(await idsWhere(condition), JSON.stringify(condition)).to.deep.equal(ids)
        }
      })
    }

    it('evaluates conditions on related rows, nested and negated', async () => {
      const shelf = fixture.relation('books', 'shelf')
      const tags = fixture.relation('books', 'tags')
      const books = fixture.relation('shelves', 'books')
      const isOld = exists(tags, compare('name', '=', 'old'))
      const hasOldNeighbour = exists(shelf, exists(books, isOld))
      const found: [Condition, readonly unknown[], string][] = [
        [exists(shelf), [1, 2, 3, 4], 'books'],
        [not(exists(shelf)), [5], 'books'],
        [exists(shelf, compare('name', '=', 'North')), [1, 2], 'books'],
        [not(exists(shelf, compare('name', '=', 'North'))), [3, 4, 5], 'books'],
        [isOld, [1, 3], 'books'],
        [exists(tags, isIn('name', ['old', 'new'])), [1, 3], 'books'],
        [exists(books), [1, 2], 'shelves'],
        [not(exists(books)), [3], 'shelves'],
        [exists(books, compare('rating', '>', 4)), [2], 'shelves'],
        [exists(books, not(exists(tags))), [1, 2], 'shelves'],
        [hasOldNeighbour, [1, 2, 3, 4], 'books'],
        [all(hasOldNeighbour, not(isOld)), [2, 4], 'books'],
        [exists(fixture.relation('lists', 'books'), isFirst), [1], 'lists'],
        [exists(fixture.relation('lists', 'books'), compare('position', '=', 5)), [], 'lists'],
      ]
      for (const [condition, ids, type] of found) {
        expect(await idsWhere(condition, type), `${type} ${condition.kind}`).to.deep.equal(ids)
      }
    })

    it('sorts null as the largest value, and ties by key in the direction of the last term', async () => {
      expect(idsOf(await read('books', { sort: by('rating') }))).to.deep.equal([1, 2, 3, 4, 5])
      expect(idsOf(await read('books', { sort: by('rating', true) }))).to.deep.equal([5, 4, 3, 2, 1])
      expect(idsOf(await read('books', { sort: by('position', true) }))).to.deep.equal([5, 4, 3, 2, 1])
      const terms = [...by('position', true), ...by('rating')]
      expect(idsOf(await read('books', { sort: terms }))).to.deep.equal([5, 3, 4, 2, 1])
    })

    it('reads windows by offset, and whether there are more rows', async () => {
      const pages: [Window, readonly unknown[], boolean][] = [
        [{ limit: 2, offset: 0, probe: true }, [1, 2], true],
        [{ limit: 2, offset: 3, probe: true }, [4, 5], false],
        [{ limit: 2, offset: 9, probe: true }, [], false],
        [{ limit: null, offset: 1, probe: false }, [2, 3, 4, 5], false],
        [{ limit: 0, offset: 0, probe: false }, [], false],
      ]
      for (const [window, ids, hasMore] of pages) {
        const page = await read('books', { window })
        expect(idsOf(page), JSON.stringify(window)).to.deep.equal(ids)
        if (window.limit !== 0) expect(page.hasMore, JSON.stringify(window)).to.equal(hasMore)
      }
    })

    for (const descending of [false, true]) {
      it(`reads keyset windows in both directions, sorted ${descending ? 'descending' : 'ascending'}`, async () => {
        const terms = [...by('rating', descending), ...by('id', descending)]
        const expected = descending ? [5, 4, 3, 2, 1] : [1, 2, 3, 4, 5]
        const boundary = (row: Row | undefined) => row && terms.map((_, index) => row[keysetKey(index)])
        const pageFrom = (after?: Row, before?: Row) =>
          read('books', {
            window: {
              limit: 2,
              offset: 0,
              probe: true,
              keyset: { terms, after: boundary(after), before: boundary(before) },
            },
          })
        const forward = [await pageFrom()]
        while (forward.at(-1)?.hasMore) forward.push(await pageFrom(forward.at(-1)?.records.at(-1)))
        expect(forward.map(idsOf)).to.deep.equal([expected.slice(0, 2), expected.slice(2, 4), expected.slice(4)])
        const backward = [await pageFrom(undefined, forward.at(-1)?.records[0])]
        while (backward[0]?.hasMore) backward.unshift(await pageFrom(undefined, backward[0]?.records[0]))
        expect(backward.map(idsOf)).to.deep.equal([expected.slice(0, 2), expected.slice(2, 4)])
      })
    }

    it('counts all rows of a collection, also outside of the window', async () => {
      const window = { limit: 1, offset: 0, probe: true }
      expect((await read('books', { window, count: true, where: [not(isFirst)] })).total).to.equal(4)
      const type = fixture.type('books')
      const query = queryOf('books', { where: [isFirst] })
      expect(await fixture.inContext((context) => type.provider.count(type, query, context))).to.equal(1)
    })

    it('refuses more rows than the row limit, and accepts exactly as many', async () => {
      const rowLimit = (rows: number) => ({
        rows,
        refuse: () => {
          throw new Error('too many rows')
        },
      })
      const type = fixture.type('books')
      const readAtMost = (rows: number) =>
        fixture.inContext((context) =>
          type.provider.collection(type, queryOf('books', { rowLimit: rowLimit(rows) }), context).then(
            ({ records }) => records.length,
            (error: Error) => error.message,
          ),
        )
      expect(await readAtMost(5)).to.equal(5)
      expect(await readAtMost(4)).to.equal('too many rows')
    })

    it('reads rows by key in any order, and leaves out unknown keys', async () => {
      const type = fixture.type('books')
      const rows = await fixture.inContext((context) => type.provider.many(type, [3, 99, 1], queryOf('books'), context))
      expect(rows.map(({ id }) => id)).to.have.members([1, 3])
      const one = (key: unknown) =>
        fixture.inContext((context) => type.provider.one(type, key, queryOf('books'), context))
      expect((await one(2))?.title).to.equal('Second best? Best')
      expect(await one(99)).to.equal(null)
    })

    it('reads rows outside of their scope only if they were just written, and marks rows by a condition', async () => {
      const type = fixture.type('shelves')
      const query = queryOf('shelves')
      await fixture.hidingEmpty(() =>
        fixture.inContext(async (context) => {
          const mark = compare('name', '!=', 'Empty')
          const idsIn = (rows: readonly Row[]) => rows.map(({ id }) => id)
          expect(idsIn(await type.provider.many(type, [1, 3], query, context))).to.deep.equal([1])
          expect(await type.provider.one(type, 3, query, context)).to.equal(null)
          const written = await type.provider.many(type, [1, 3], query, context, { justWritten: true, mark })
          expect(idsIn(written)).to.have.members([1, 3])
          for (const row of written) expect(row[inWriteScopeKey]).to.equal(row.id === 1)
          expect((await type.provider.one(type, 3, query, context, { justWritten: true }))?.name).to.equal('Empty')
        }),
      )
    })

    describe('related rows', () => {
      const related = async (owner: string, name: string, query: Partial<Query> = {}, linkage = false) => {
        const type = fixture.type(owner)
        const relation = fixture.relation(owner, name)
        return fixture.inContext(async (context) => {
          const base = queryOf(owner, { include: [{ relation, children: [] }] })
          const { records } = await type.provider.collection(type, base, context)
          const { where = [], sort = [], window = null, count = false } = query
          const relationQuery = { where, sort, paginator: null, window, count, rowLimit: null, base, linkage }
          return type.provider.related(relation, records, relationQuery, context)
        })
      }

      it('are one page per parent, in the order of the parents', async () => {
        expect((await related('books', 'shelf')).map(idsOf)).to.deep.equal([[1], [1], [2], [2], []])
        expect((await related('books', 'tags')).map(idsOf)).to.deep.equal([
          [tagId(1), tagId(2)],
          [],
          [tagId(1)],
          [],
          [],
        ])
        const sorted = await related('shelves', 'books', { sort: by('id', true) })
        expect(sorted.map(idsOf)).to.deep.equal([[2, 1], [4, 3], []])
      })

      it('are filtered, windowed and counted for each parent', async () => {
        const rated = await related('shelves', 'books', { where: [compare('rating', '>', 2)], sort: by('id') })
        expect(rated.map(idsOf)).to.deep.equal([[2], [3], []])
        const window = { limit: 1, offset: 0, probe: true }
        const paged = await related('shelves', 'books', { sort: by('id'), window, count: true })
        expect(paged.map((page) => [idsOf(page), page.hasMore, page.total])).to.deep.equal([
          [[1], true, 2],
          [[3], true, 2],
          [[], false, 0],
        ])
        const counted = await related('books', 'tags', { window: { limit: 0, offset: 0, probe: false }, count: true })
        expect(counted.map(({ total }) => total)).to.deep.equal([2, 0, 1, 0, 0])
      })

      it('are filtered and sorted by pivot values, and carry them', async () => {
        const sort = [{ key: 'place', property: 'place', descending: false, pivot: true }]
        const [page] = await related('lists', 'books', { sort })
        expect(idsOf(page as Page)).to.deep.equal([3, 1, 2])
        expect(page?.records.map((row) => [row['#pivot:place'], row['#pivot:note']])).to.deep.equal([
          [1, 'blue'],
          [2, null],
          [3, 'red'],
        ])
        const found: [Condition, readonly unknown[]][] = [
          [ofPivot(compare('place', '>', 1)), [1, 2]],
          [ofPivot(isNull('note')), [1]],
          [ofPivot(not(compare('note', '=', 'red'))), [1, 3]],
          [ofPivot(all(isIn('place', [1, 3]), textMatch('note', 'starts', 'R'))), [2]],
        ]
        for (const [condition, ids] of found) {
          const [filtered] = await related('lists', 'books', { where: [condition] })
          expect(idsOf(filtered as Page), JSON.stringify(condition)).to.deep.equal(ids)
        }
      })
    })
  })
}
