import { defineError, defineResource, defineType, type ResourceDeclaration } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { open } from '#plugins/authorization/index.ts'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import { pluginsWithTokens } from '#test/support/principals.ts'
import { Book, Shelf } from './entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from './index.ts'

export type ShelfOverrides = Partial<ResourceDeclaration<Shelf>>

export const shelfLocked = defineError('SHELF_LOCKED', 423, 'Shelf is locked', 'The shelf is locked.')

/** Shelves with the given keys, their books, and `renames`, an input type. */
export function shelvesWith(overrides: ShelfOverrides): readonly DeclaredResource[] {
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, string, hasMany }) => [id(), string('name').required(), hasMany('books', 'books')],
    policy: open,
    ...overrides,
  })
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, belongsTo }) => [id(), string('title'), belongsTo('shelf', 'shelves')],
    policy: open,
  })
  const renames = defineType<{ id: string; name: string; times: number; editor: string; book: object }>({
    type: 'renames',
    fields: ({ id, string, integer, belongsTo }) => [
      id(),
      string('name').required().maxLength(10),
      integer('times').min(1).max(3),
      string('editor').readOnly(),
      belongsTo('book', 'books'),
    ],
  })
  return [shelves, books, renames].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))
}

/** Replaces the rows of the library by two shelves, and a book on the first. */
export async function fillShelves(): Promise<void> {
  await emptyLibrary()
  const connection = (await libraryDatabase()).orm.em.getConnection()
  await connection.execute(`insert into shelves (name) values ('Fiction'), ('Poetry')`)
  await connection.execute(`insert into books (title, shelf_id) values ('Emma', 1)`)
}

/** Starts the library with the rows of `fillShelves`. */
export async function startShelves(overrides: ShelfOverrides, options: TestAppOptions = {}): Promise<TestApp> {
  await fillShelves()
  return startLibrary({ resources: shelvesWith(overrides), plugins: pluginsWithTokens('ada', 'ben'), ...options })
}
