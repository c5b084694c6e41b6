import type { RandomSource } from '#test/conformance/random.ts'

/** The rows of each type that random statements insert, change and delete. The last id of each is reserved. */
export const ids: Readonly<Record<string, readonly string[]>> = {
  shelves: numbers(4),
  books: numbers(20),
  tags: numbers(4).map((number) => `${number.repeat(8)}-1111-4111-8111-111111111111`),
  labels: numbers(4),
  lists: numbers(4),
  boxes: numbers(4),
  loans: numbers(6),
}

/** The table of each type, and the column that has the number of the last change. */
const tables: Readonly<Record<string, readonly [table: string, column: string]>> = {
  shelves: ['shelves', 'name'],
  books: ['books', 'title'],
  tags: ['tags', 'name'],
  labels: ['labels', 'text'],
  lists: ['reading_lists', 'name'],
  boxes: ['boxes', 'name'],
  loans: ['loans', 'reader'],
}

/** The attribute that has the number of the last change. */
export const versionAttributes: ReadonlyMap<string, string> = new Map(
  Object.entries(tables).map(([type, [, column]]) => [type, column]),
)

/**
 * Statements that fill the tables. A trigger writes the next number to every row that changes: the row is locked then, so that the
 * numbers of a row are in the order of its changes.
 */
export function fillStatements(): string[] {
  const versioned = Object.values(tables).flatMap(([table, column]) => [
    `create function stamp_${table}() returns trigger language plpgsql as $f$
     begin new.${column} := lpad(nextval('change_number')::text, 8, '0'); return new; end $f$`,
    `create trigger stamp before insert or update on ${table} for each row execute function stamp_${table}()`,
  ])
  const inserts = Object.entries(tables).flatMap(([type, [table, column]]) =>
    (ids[type] ?? []).map((id) => `insert into ${table} (id, ${column}) values ('${id}', 'x${id}')`),
  )
  return [
    'create sequence change_number',
    ...versioned,
    ...inserts,
    'update books set shelf_id = id % 4 + 1',
    'update labels set shelf_id = id where id < 4',
    'update loans set book_id = id',
    `insert into list_entries (list_id, book_id, place) select id % 4 + 1, id, 1 from books`,
    `insert into box_items (box_id, thing_type, thing_id, position) select id % 4 + 1, 'books', id, 1 from books`,
    `insert into book_tags (book_id, tag_id) select b.id, t.id from books b, tags t where b.id % 3 = 0`,
  ]
}

/** Draws the statements of one transaction. Some fail, and some roll back. */
export function drawTransaction(draw: RandomSource, isServer: boolean): string[] {
  const statements = Array.from({ length: 1 + draw.below(3) }, () => drawStatement(draw))
  // Transactions of different lengths commit in another order than they take numbers.
  if (isServer && draw.chance(30)) statements.push(`select pg_sleep(${draw.below(30) / 1000})`)
  if (draw.chance(10)) statements.push('select 1 / 0')
  return statements
}

function drawStatement(draw: RandomSource): string {
  const type = draw.pick(Object.keys(tables))
  const [table, column] = tables[type] as readonly [string, string]
  const id = draw.pick(ids[type] as readonly string[])
  const some = (other: string) => `'${draw.pick(ids[other] as readonly string[])}'`
  return draw.pick([
    () => `update ${table} set ${column} = '' where id = '${id}'`,
    () => `update ${table} set removed_at = case when removed_at is null then now() end where id = '${id}'`,
    () => `insert into ${table} (id, ${column}) values ('${id}', 'n${id}') on conflict (id) do nothing`,
    () => `delete from ${table} where id = '${id}'`,
    () =>
      `update books set shelf_id = (select id from shelves where id = ${some('shelves')}) where id = ${some('books')}`,
    () => `update books set secret = 's${draw.below(99)}', title = '' where id = ${some('books')}`,
    () => `insert into books (id, title, shelf_id) values (${some('books')}, 'n', 1) on conflict (id) do nothing`,
    () => `update labels set shelf_id = ${some('shelves')} where id = ${some('labels')}`,
    () => `update loans set book_id = ${some('books')} where id = ${some('loans')}`,
    () => `insert into book_tags (book_id, tag_id) values (${some('books')}, ${some('tags')}) on conflict do nothing`,
    () => `delete from book_tags where tag_id = ${some('tags')} and book_id = ${some('books')}`,
    () => `insert into list_entries (list_id, book_id, place) values (${some('lists')}, ${some('books')}, 1)`,
    () => `delete from list_entries where list_id = ${some('lists')}`,
    () =>
      `insert into box_items (box_id, thing_type, thing_id, position) values (${some('boxes')}, 'labels', ${some('labels')}, 1)`,
    () => `delete from box_items where box_id = ${some('boxes')}`,
  ])()
}

function numbers(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(index + 1))
}
