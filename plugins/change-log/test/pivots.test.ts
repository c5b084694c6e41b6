import { expect } from 'chai'
import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import type { Database } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { Book } from '#test/template/support/library/entities.ts'
import { ListEntry, ReadingList } from '#test/template/support/library/lists.ts'
import { openRecordedLibrary, startRecordedLibrary } from '#test/template/support/recorded-library.ts'
import { changeColumns, toLogRow } from '../change.ts'

const lists = defineResource(ReadingList, {
  type: 'lists',
  changes: true,
  history: true,
  policy: open,
  fields: ({ id, belongsToMany }) => [
    id().allowClientId(),
    belongsToMany('books', 'books')
      .through(ListEntry)
      .fields(({ integer }) => [integer('place').required()]),
  ],
})
const books = defineResource(Book, {
  type: 'books',
  changes: true,
  policy: open,
  fields: ({ id, string }) => [id(), string('title').required()],
})

describe('The change log of pivot values', () => {
  let database: Database
  let started: TestApp
  let last = '0'
  before(async () => {
    database = await openRecordedLibrary()
    const resources = [lists, books].map((resource) => ({ file: 'pivots.test.ts', resource }))
    started = await startRecordedLibrary(database, { resources })
    const { query } = started.app.store
    await query(`insert into reading_lists (id, name) values (1, 'L')`, [])
    await query(`insert into books (id, title) values (1, 'A'), (2, 'B')`, [])
  })
  after(async () => {
    await started.close()
    await database.close()
  })

  /** The changes since the last call. */
  async function changes(): Promise<string[]> {
    const rows = await started.app.store.query(
      `select ${changeColumns} from change_log l where sequence > $1::bigint order by sequence`,
      [last],
    )
    const found = rows.map(toLogRow)
    last = found.at(-1)?.sequence ?? last
    return found.map(({ kind, type, key, members, before, after }) =>
      [kind, `${type}/${key}`, ...members, JSON.stringify(before), JSON.stringify(after)].join(' '),
    )
  }
  const member = (id: string, place: number) => ({ type: 'books', id, meta: { pivot: { place } } })
  const write = async (method: 'post' | 'patch', ...data: object[]) => {
    const { status, text } = await started.client[method]('/lists/1/relationships/books', { data })
    expect(status, text).to.be.within(200, 204)
  }

  it('has a change of the relationship that shows them', async () => {
    await write('post', member('1', 1), member('2', 2))
    await changes()
    await write('patch', member('1', 3), member('2', 2))
    expect(await changes()).to.deep.equal(['related lists/1 books {"books":"1"} {"books":"1"}'])
    await write('patch', member('1', 3), member('2', 2))
    expect(await changes()).to.deep.equal([])
  })

  it('has no change of a column that the relationship does not show', async () => {
    await started.app.store.query(`update list_entries set note = 'x'`, [])
    expect(await changes()).to.deep.equal([])
  })
})
