import type { Relation, ResourceType } from '#kernel'
import type { Row } from '#kernel/store'
import type { Database } from '#store'

/** The rows of the library, read without the service, and the order of its texts in the database. */
export interface StoredRows {
  of(type: ResourceType): readonly Row[]
  related(relation: Relation, row: Row): readonly Row[]
  /** Whether a text is before another one in the collation of the database. */
  isBefore(left: string, right: string): boolean
}

const time = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`
const statements: Readonly<Record<string, string>> = {
  books: `select id, title, position, rating::float8 as rating, pages::text as pages, shelf_id,
    to_char(printed_at at time zone 'UTC', ${time}) as "printedAt" from books where deleted_at is null`,
  shelves: 'select id, name from shelves',
  tags: 'select id, name from tags',
  labels: 'select id, text, shelf_id from labels',
  lists: 'select id, name from reading_lists',
}

/** Keys of rows that are linked, by relation: the column of the row that refers to the other, or a join table. */
const links: Readonly<Record<string, (row: Row, other: Row, joins: Joins) => boolean>> = {
  'books.shelf': (book, shelf) => book.shelf_id === shelf.id,
  'books.tags': (book, tag, { tagged }) => tagged.has(`${book.id} ${tag.id}`),
  'shelves.books': (shelf, book) => book.shelf_id === shelf.id,
  'shelves.whole': (shelf, book) => book.shelf_id === shelf.id,
  'shelves.label': (shelf, label) => label.shelf_id === shelf.id,
  'tags.books': (tag, book, { tagged }) => tagged.has(`${book.id} ${tag.id}`),
  'labels.shelf': (label, shelf) => label.shelf_id === shelf.id,
  'lists.books': (list, book, { listed }) => listed.has(`${list.id} ${book.id}`),
}

interface Joins {
  readonly tagged: ReadonlySet<string>
  readonly listed: ReadonlySet<string>
}

export async function readStoredRows({ orm }: Database, texts: readonly string[]): Promise<StoredRows> {
  const select = (sql: string, params: readonly unknown[] = []) =>
    orm.em.getConnection().execute<Row[]>(sql, [...params])
  const rows = new Map<string, readonly Row[]>()
  for (const [type, sql] of Object.entries(statements)) rows.set(type, await select(sql))
  const pairs = async (sql: string) => new Set((await select(sql)).map(({ pair }) => String(pair)))
  const joins = {
    tagged: await pairs(`select book_id || ' ' || tag_id as pair from book_tags`),
    listed: await pairs(`select list_id || ' ' || book_id as pair from list_entries`),
  }
  const ordered = await select(
    'select a.text as left, b.text as right from json_array_elements_text(?) a(text), json_array_elements_text(?) b(text) where a.text < b.text',
    [JSON.stringify(texts), JSON.stringify(texts)],
  )
  const before = new Set(ordered.map(({ left, right }) => JSON.stringify([left, right])))
  return {
    of: ({ name }) => rows.get(name) ?? [],
    related({ owner, name, target }, row) {
      const isLinked = links[`${owner.name}.${name}`]
      return isLinked ? (rows.get(target.name) ?? []).filter((other) => isLinked(row, other, joins)) : []
    },
    isBefore: (left, right) => before.has(JSON.stringify([left, right])),
  }
}
