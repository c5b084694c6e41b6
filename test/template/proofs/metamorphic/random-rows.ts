import type { Database } from '#store'
import type { RandomSource } from '#test/conformance/random.ts'
import { emptyLibraryTables } from '#test/template/support/library/index.ts'

const titles = ['Emma', 'emma', 'Ärger', 'a,b', '100 %', "it's", 'Zoë 🎵', ' ', 'Sanditon', 'Persuasion']
const ratings = [null, null, 0, 0.5, 7, 7.25, 99.99]
const moments = [null, null, '1815-12-23T00:00:00Z', '1815-12-23T00:00:00.000001Z', '2024-02-29T23:59:59.999999Z']
const sizes = [null, '0', '249', '9007199254740993', '9223372036854775807']

/** At most this many rows, so that one page can hold the whole collection. */
const maxBooks = 40

/** Replaces all rows of the library by random ones: with null values, equal values, deleted rows and empty relations. */
export async function fillRandomRows(database: Database, draw: RandomSource): Promise<void> {
  await emptyLibraryTables(database)
  const shelves = numbers(draw.below(5)).map((id) => ({ id, name: draw.pick(titles) }))
  const tags = numbers(draw.below(5)).map((id) => ({ id: tagId(id), name: `tag ${id}` }))
  const books = numbers(draw.below(maxBooks)).map((id) => ({
    id,
    title: draw.pick(titles),
    position: draw.below(4),
    rating: draw.pick(ratings),
    pages: draw.pick(sizes),
    printed_at: draw.pick(moments),
    deleted_at: draw.chance(10) ? '2020-01-01T00:00:00Z' : null,
    shelf_id: shelves.length === 0 || draw.chance(30) ? null : draw.pick(shelves).id,
  }))
  const labels = shelves.filter(() => draw.chance(50)).map(({ id }) => ({ id, text: `label ${id}`, shelf_id: id }))
  const pairs = books.flatMap(({ id }) =>
    tags.filter(() => draw.chance(30)).map((tag) => ({ book_id: id, tag_id: tag.id })),
  )
  const lists = numbers(draw.below(3)).map((id) => ({ id, name: draw.pick(titles) }))
  const entries = lists.flatMap((list) =>
    books.filter(() => draw.chance(20)).map((book) => ({ list_id: list.id, book_id: book.id, place: draw.below(3) })),
  )
  const tables = { shelves, tags, books, labels, book_tags: pairs, reading_lists: lists }
  for (const [table, rows] of Object.entries(tables)) await insertRows(database, table, rows)
  await insertRows(
    database,
    'list_entries',
    entries.map((entry, index) => ({ id: index + 1, ...entry })),
  )
  for (const table of ['shelves', 'books', 'labels']) {
    await execute(database, `select setval(pg_get_serial_sequence('${table}', 'id'), 1000)`)
  }
}

async function insertRows(database: Database, table: string, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return
  const columns = Object.keys(rows[0] as object).join(', ')
  const source = `json_populate_recordset(null::${table}, '${JSON.stringify(rows).replaceAll("'", "''")}')`
  await execute(database, `insert into ${table} (${columns}) select ${columns} from ${source}`)
}

function execute({ orm }: Database, sql: string): Promise<unknown> {
  return orm.em.getConnection().execute(sql)
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}

function tagId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}
