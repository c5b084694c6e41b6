import { emptyLibrary, libraryDatabase } from '#test/template/support/library/index.ts'

export const redTag = '00000000-0000-4000-8000-00000000000a'
export const blueTag = '00000000-0000-4000-8000-00000000000b'

/** Shelf 1 with label 1 and books 1 to 3, an empty shelf 2, book 4 on no shelf; book 1 has both tags. */
export const libraryRows: readonly string[] = [
  `insert into shelves (id, name) values (1, 'Fiction'), (2, 'Poetry')`,
  `insert into books (id, title, position, rating, pages, printed_at, shelf_id) values
    (1, 'Emma', 3, 8.5, 474, '1815-12-23T00:00:00Z', 1),
    (2, 'Persuasion', 2, null, 249, null, 1),
    (3, 'Sanditon', 1, 7, null, '1925-01-01T00:00:00Z', 1),
    (4, 'Lady Susan', 1, 7, 100, '1871-01-01T00:00:00Z', null)`,
  `insert into tags (id, name) values ('${redTag}', 'red'), ('${blueTag}', 'blue')`,
  `insert into book_tags (book_id, tag_id) values (1, '${redTag}'), (1, '${blueTag}')`,
  `insert into labels (id, text, shelf_id) values (1, 'F', 1)`,
  `select setval('shelves_id_seq', 100), setval('books_id_seq', 100), setval('labels_id_seq', 100)`,
]

/** Replaces all rows of the library by `libraryRows`. */
export async function fillLibrary(): Promise<void> {
  await emptyLibrary()
  const { orm } = await libraryDatabase()
  await orm.em.getConnection().execute(fill)
}

/** One statement, because hundreds of tests begin with it: foreign keys are checked at its end. */
const fill = (() => {
  const inserts = libraryRows.slice(0, -1).map((insert, index) => `insertion_${index} as (${insert})`)
  return `with ${inserts.join(', ')} ${libraryRows.at(-1)}`
})()

/** Shelves 1 to `count`, named after their number: `Shelf 01`. */
export async function fillShelves(count: number): Promise<void> {
  await emptyLibrary()
  const { orm } = await libraryDatabase()
  const names = `select number, 'Shelf ' || to_char(number, 'FM00') from generate_series(1, ${count}) number`
  await orm.em.getConnection().execute(`insert into shelves (id, name) ${names}`)
}
