import { add, addAs, atomicHeaders, relate, remove, update } from '#test/support/batch.ts'
import { type Client, mediaType } from '#test/support/client.ts'

/** A request of which every driver call is failed. */
export interface CatalogueRequest {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the request carries an idempotency key, so that a repeat has no second effect. */
  readonly isKeyed?: boolean
  /** Whether the request has enqueued a job, whose driver calls are failed as well. */
  readonly hasJob?: boolean
  /** Returns headers that depend on the rows. */
  readonly prepare?: (client: Client) => Promise<Readonly<Record<string, string>>>
}

const red = { type: 'tags', id: '00000000-0000-4000-8000-00000000000a' }
const blue = { type: 'tags', id: '00000000-0000-4000-8000-00000000000b' }
const book = (id: number) => ({ type: 'books', id: String(id) })
const shelf = (id: number) => ({ type: 'shelves', id: String(id) })
const label = (id: number) => ({ type: 'labels', id: String(id) })
const placed = (id: number, place: number) => ({ ...book(id), meta: { pivot: { place } } })

const read = (path: string): CatalogueRequest => ({ name: `GET ${path}`, method: 'GET', path })
const write = (name: string, method: string, path: string, data?: unknown): CatalogueRequest => ({
  name,
  method,
  path,
  ...(data !== undefined && { body: { data } }),
})
const batch = (name: string, ...operations: readonly object[]): CatalogueRequest => ({
  name: `batch: ${name}`,
  method: 'POST',
  path: '/operations',
  body: { 'atomic:operations': operations },
  headers: atomicHeaders,
})
const keyed = (request: CatalogueRequest): CatalogueRequest => ({
  ...request,
  name: `${request.name}, idempotency key`,
  isKeyed: true,
  headers: { ...request.headers, 'idempotency-key': 'fault-key' },
})
const conditional = (request: CatalogueRequest): CatalogueRequest => ({
  ...request,
  name: `${request.name}, If-Match`,
  prepare: async (client) => ({ 'if-match': (await client.get(request.path)).headers.get('etag') ?? '' }),
})
const stale = (request: CatalogueRequest): CatalogueRequest => ({
  ...request,
  name: `${request.name}, stale If-Match`,
  headers: { ...request.headers, 'if-match': '"0"' },
})

const reads = [
  '/books?sort=title',
  '/books/1',
  '/books/1?include=shelf,tags',
  '/shelves/1?include=books.tags,label&withCount=books',
  '/shelves/1/books',
  '/books/1/shelf',
  '/books/1/relationships/tags',
  '/shelves/1/relationships/label',
  '/lists/1/relationships/books',
  '/boxes/1/contents',
  '/books/4711',
].map(read)

const newBook = { type: 'books', attributes: { title: 'Catharine' } }
const createBook = write('create', 'POST', '/books', newBook)
const updateBook = write('update', 'PATCH', '/books/1', { ...book(1), attributes: { title: 'Amelia', position: 9 } })
const deleteLabel = write('delete', 'DELETE', '/labels/2')

const resourceWrites: readonly CatalogueRequest[] = [
  createBook,
  write('create with all kinds of linkage', 'POST', '/books', {
    ...newBook,
    relationships: { shelf: { data: shelf(2) }, tags: { data: [red, blue] } },
  }),
  write('create that moves members', 'POST', '/shelves', {
    type: 'shelves',
    attributes: { name: 'Drama' },
    relationships: { books: { data: [book(1), book(4)] }, label: { data: label(1) } },
  }),
  write('create with an id that exists', 'POST', '/tags', { ...red, attributes: { name: 'again' } }),
  write('create as an entity', 'POST', '/labels', { type: 'labels', attributes: { text: ' D ' } }),
  updateBook,
  write('update with linkage', 'PATCH', '/books/1', {
    ...book(1),
    attributes: { title: 'Amelia' },
    relationships: { shelf: { data: null }, tags: { data: [blue] } },
  }),
  write('update as an entity', 'PATCH', '/labels/1', { ...label(1), attributes: { text: ' G ' } }),
  write('update that violates a unique constraint', 'PATCH', `/tags/${red.id}`, {
    ...red,
    attributes: { name: 'blue' },
  }),
  deleteLabel,
  write('delete of a tag with pairs', 'DELETE', `/tags/${red.id}`),
]

const relationshipWrites: readonly CatalogueRequest[] = [
  write('belongsTo: replace', 'PATCH', '/books/1/relationships/shelf', shelf(2)),
  write('belongsTo: clear', 'PATCH', '/books/1/relationships/shelf', null),
  write('hasMany: replace', 'PATCH', '/shelves/1/relationships/books', [book(3), book(4)]),
  write('hasMany: add', 'POST', '/shelves/2/relationships/books', [book(1), book(4)]),
  write('hasMany: remove', 'DELETE', '/shelves/1/relationships/books', [book(1)]),
  write('hasOne: replace', 'PATCH', '/shelves/1/relationships/label', label(2)),
  write('hasOne: clear', 'PATCH', '/shelves/1/relationships/label', null),
  write('belongsToMany: replace', 'PATCH', '/books/1/relationships/tags', [blue]),
  write('belongsToMany: add', 'POST', '/books/1/relationships/tags', [blue]),
  write('belongsToMany: remove', 'DELETE', '/books/1/relationships/tags', [red]),
  write('pivot fields: replace', 'PATCH', '/lists/1/relationships/books', [placed(2, 1), placed(3, 2)]),
  write('pivot fields: add', 'POST', '/lists/1/relationships/books', [placed(4, 3)]),
  write('pivot fields: remove', 'DELETE', '/lists/1/relationships/books', [book(1)]),
  write('morphToMany: replace', 'PATCH', '/boxes/1/relationships/contents', [label(1), book(2)]),
  write('morphToMany: add', 'POST', '/boxes/1/relationships/contents', [label(1)]),
  write('morphToMany: remove', 'DELETE', '/boxes/1/relationships/contents', [book(1)]),
]

const mixedBatch = batch(
  'all kinds',
  addAs('new', 'shelves', { name: 'Drama' }),
  add('books', { title: 'Catharine' }, { shelf: { type: 'shelves', lid: 'new' } }),
  update(book(2), { position: 7 }),
  update(book(1), { position: 8 }),
  relate('add', { ...book(1), relationship: 'tags' }, [blue]),
  remove(label(2)),
)

const batches: readonly CatalogueRequest[] = [
  batch('creates', ...['A', 'B', 'C'].map((title) => add('books', { title }))),
  batch('updates', update(book(2), { position: 7 }), update(book(1), { position: 8 })),
  mixedBatch,
  batch('a failing operation', update(book(1), { position: 8 }), add('books', { title: 'A' }), update(book(4711), {})),
]

const action = write('action', 'POST', '/shelves/1/-actions/rename')

export const catalogue: readonly CatalogueRequest[] = [
  ...reads,
  ...resourceWrites,
  ...relationshipWrites,
  ...batches,
  action,
  ...[createBook, updateBook, deleteLabel, mixedBatch, action].map(keyed),
  ...[updateBook, deleteLabel].map(conditional),
  stale(updateBook),
  {
    ...write('job', 'POST', '/loans', { type: 'loans', attributes: { reader: 'Ben' } }),
    hasJob: true,
    headers: { 'content-type': mediaType },
  },
]
