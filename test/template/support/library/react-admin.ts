import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { page } from '#plugins/pagination/index.ts'
import { Book, Shelf } from './entities.ts'

// Types as the data providers of react-admin need them.

const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, integer, decimal, belongsTo }) => [
    id(),
    string('title').required().sortable(),
    integer('position').sortable(),
    decimal('rating').nullable().readOnly(),
    belongsTo('shelf', 'shelves'),
  ],
  sorts: { id: 'id' },
  filters: ({ contains, whereIdIn }) => [contains('title'), whereIdIn(), whereIdIn('shelf', 'shelf')],
  pagination: () => page({ size: 25, withCount: true }),
})
const shelves = defineResource(Shelf, { type: 'shelves', fields: ({ id, string }) => [id(), string('name')] })

export const reactAdminResources: readonly DeclaredResource[] = [books, shelves].map((resource) => ({
  file: 'test/template/support/library/react-admin.ts',
  resource,
}))
