import { expect } from 'chai'
import { defineResource } from '#kernel'
import { cursor, fixedPage, menu, offset, page } from '#plugins/pagination/index.ts'
import { relationshipQueriesProfileUri } from '#plugins/relationship-queries/index.ts'
import { createRandomSource, type RandomSource } from '#test/conformance/random.ts'
import type { TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { mediaType } from '#test/support/client.ts'
import { declared } from '#test/template/specification/library-app.ts'
import { fillLibrary, redTag } from '#test/template/specification/library-rows.ts'
import { expectDocument, sendRaw } from '#test/template/specification/support.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { ListEntry, ReadingList } from '#test/template/support/library/lists.ts'

// Random query strings of valid and invalid parts. Every response is a valid document (`sendRaw` checks it), and none is a
// 500. Each of the four seeds sends this many requests.
const count = 500

describe('Random query strings', () => {
  for (const seed of [20_240_229, 19_970_521]) {
    it(`QRY-04 returns a document and no 500 for ${count} queries of the catalogue from seed ${seed}`, async () => {
      const { client } = await catalogue()
      expectBoth(await countStatuses(client.url, inCatalogue, createRandomSource(seed)))
    })
  }

  describe('with every kind of pagination, filter and count', () => {
    let library: TestApp
    const logged: object[] = []
    const logger = { error: (details: object) => void logged.push(details), warn: () => {}, info: () => {} }

    before(async () => {
      await fillLibrary()
      const em = (await libraryDatabase()).orm.em.fork()
      await em.insertMany(ReadingList, [{ id: 1, name: 'Summer' }])
      await em.insertMany(
        ListEntry,
        [1, 2, 3].map((book) => ({ id: book, list: 1, book, place: 4 - book })),
      )
      library = await startLibrary({ resources: declared(books, shelves, tags, labels, lists), logger })
    })

    after(async () => {
      await library.close()
      await emptyLibrary()
    })

    for (const seed of [19_991_231, 18_151_223]) {
      it(`QRY-04 returns a document, no 500 and logs no error for ${count} queries of the library from seed ${seed}`, async () => {
        expectBoth(await countStatuses(library.client.url, inBooks, createRandomSource(seed)))
        expect(logged).to.deep.equal([])
      })
    }
  })
})

/** Sends the requests four at a time, and counts the responses by status. */
async function countStatuses(
  url: string,
  sources: readonly QuerySource[],
  draw: RandomSource,
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  const send = async (path: string, accept: string) => {
    const response = await sendRaw(url, { path, headers: { accept } })
    expectDocument(response, path)
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
  }
  for (let sent = 0; sent < count; sent += 4) {
    const requests = [1, 2, 3, 4].map(() => [randomPath(sources, draw), draw.pick(accepts)] as const)
    await Promise.all(requests.map(([path, accept]) => send(path, accept)))
  }
  return statuses
}

function expectBoth(statuses: ReadonlyMap<number, number>): void {
  for (const status of [200, 400]) expect(statuses.get(status), `responses with ${status}`).to.be.greaterThan(100)
}

const accepts = [mediaType, mediaType, `${mediaType}; profile="${relationshipQueriesProfileUri}"`]

/** Paths, and their parameters with plausible values. */
interface QuerySource {
  readonly paths: readonly string[]
  readonly parameters: Readonly<Record<string, readonly string[]>>
}

const pageOfAlbums = { 'page[number]': ['1', '2', '99'], 'page[size]': ['1', '5', '50'] }
const fieldsOfAlbums = {
  'fields[albums]': ['title', 'title,artist', 'tracks', ''],
  'fields[tracks]': ['displayTitle', 'title,album', ''],
  'fields[artists]': ['name', 'trackCount'],
}

const inCatalogue: readonly QuerySource[] = [
  {
    paths: ['/albums', '/albums', '/artists/1/albums', '/admin/albums'],
    parameters: {
      ...pageOfAlbums,
      ...fieldsOfAlbums,
      sort: ['title', '-title', '-releasedAt,title'],
      include: ['artist', 'tracks', 'artist.albums', 'tracks.playlists', ''],
      'filter[title]': ['a', 'OK Computer', '%25', ''],
      'filter[q]': ['ok computer', 'the'],
      'filter[tracks]': ['', '1'],
      'filter[artist.name]': ['Radiohead', 'Unknown'],
      'filter[rating][min]': ['9', '9.5'],
      'filter[releasedAt][max]': ['1995-01-01', '1995-01-01T00:00:00Z'],
      withCount: ['tracks'],
      'relatedQuery[tracks][sort]': ['-title', 'duration'],
      'rQ[tracks][filter][longerThan]': ['280'],
    },
  },
  {
    paths: ['/tracks', '/tracks', '/albums/1/tracks', '/albums/1/relationships/tracks'],
    parameters: {
      ...pageOfAlbums,
      ...fieldsOfAlbums,
      sort: ['title', '-trackNumber', 'duration'],
      include: ['album.artist', 'playlists', ''],
      'filter[title]': ['a', 'Airbag'],
      'filter[explicit]': ['true', 'no', ''],
      'filter[genres][]': ['rock', 'trip-hop'],
      'filter[longerThan]': ['280'],
      withCount: ['playlists', '_self_'],
    },
  },
  {
    paths: ['/artists', '/playlists', '/libraries', '/charts', '/countries', '/admin/users', '/favorites'],
    parameters: {
      ...pageOfAlbums,
      sort: ['name', '-createdAt'],
      include: ['albums', 'tracks', 'items', 'target', ''],
      'filter[slug]': ['radiohead', 'unknown'],
      'filter[q]': ['head'],
      'page[after]': [token(['id'], [1])],
      withCount: ['tracks', 'albums'],
    },
  },
  {
    paths: ['/albums/1', '/albums/1/artist', '/tracks/1', '/tracks/4711', '/albums/1/relationships/artist'],
    parameters: {
      ...fieldsOfAlbums,
      include: ['artist', 'tracks', 'album.artist', 'albums', ''],
      'filter[name]': ['Radiohead', 'Portishead'],
      withCount: ['tracks', 'playlists'],
      'page[size]': ['1'],
      'rQ[tracks][sort]': ['-title'],
    },
  },
]

const fieldsOfBooks = { 'fields[books]': ['title', 'shelf,tags', ''], 'fields[shelves]': ['name', 'books'] }
const pageOfBooks = {
  'page[kind]': ['page', 'offset', 'cursor', 'fixed', 'latest'],
  'page[number]': ['1', '2', '7'],
  'page[size]': ['1', '2', '50'],
  'page[offset]': ['0', '3'],
  'page[limit]': ['1', '2'],
}

const inBooks: readonly QuerySource[] = [
  {
    paths: ['/books', '/books', '/shelves/1/books', '/shelves/1/fixed', '/shelves/1/whole', `/tags/${redTag}/books`],
    parameters: {
      ...pageOfBooks,
      ...fieldsOfBooks,
      sort: ['title', '-rating', '-printedAt,title', 'size', 'mood', 'position,-size'],
      include: ['shelf', 'tags', 'shelf.books', 'shelf.fixed.tags', 'shelf.label', ''],
      'page[after]': [token(['id'], [1]), token(['title', 'id'], ['Emma', 1]), token(['-rating', '-id'], [null, 2])],
      'page[before]': [token(['id'], [3]), token(['title', 'id'], ['Sanditon', 3]), token(['pages', 'id'], ['249', 2])],
      'filter[title]': ['Emma', 'a,b', ''],
      'filter[ids]': ['1,2', '4711', 'x'],
      'filter[position][min]': ['1', '2'],
      'filter[rating]': ['7', '8.5'],
      'filter[printed][max]': ['1900-01-01', '1900-02-30'],
      'filter[pages]': ['249', '99999999999999999999'],
      'filter[text]': ['emma', '%25', '_'],
      'filter[shelf.name]': ['Fiction', ''],
      'filter[tags]': ['', '1'],
      'filter[untagged]': [''],
      'filter[any]': ['Emma'],
      withCount: ['_self_', 'tags', 'tags,_self_'],
      'rQ[tags][sort]': ['name'],
      'rQ[shelf][filter][name]': ['Fiction'],
    },
  },
  {
    paths: ['/shelves/1/relationships/books', '/lists/1/books', '/lists/1/relationships/books', '/books/1/tags'],
    parameters: {
      ...pageOfBooks,
      sort: ['title', '-place', 'name'],
      'page[after]': [token(['id'], [1]), token(['title', 'id'], ['Emma', 1])],
      'filter[place]': ['1', '2'],
      'filter[above]': ['1'],
      'filter[text]': ['a'],
      withCount: ['_self_', 'tags'],
    },
  },
  {
    paths: ['/shelves', '/shelves', '/tags', '/labels'],
    parameters: {
      ...pageOfBooks,
      ...fieldsOfBooks,
      sort: ['name', '-name'],
      include: ['books', 'books.tags', 'fixed.shelf', 'label', 'shelf', ''],
      withCount: ['_self_', 'books', 'books,fixed'],
      'relatedQuery[books][sort]': ['-title', 'rating'],
      'relatedQuery[books][filter][text]': ['a'],
    },
  },
  {
    paths: ['/books/1', '/shelves/1', '/books/1/shelf', '/shelves/1/label', '/books/1/relationships/shelf'],
    parameters: {
      ...fieldsOfBooks,
      include: ['shelf', 'books', 'tags', 'books.tags', ''],
      'filter[name]': ['Fiction', 'Poetry'],
      withCount: ['books', 'tags'],
      'rQ[books][sort]': ['-title'],
    },
  },
]

const oddNames = [
  'nope',
  'page',
  'page[]',
  'fields',
  'fields[]',
  'fields[nope]',
  'include[]',
  'sort[a][b][c][d][e][f]',
  'sort[]',
  'filter',
  'filter[]',
  'filter[nope]',
  'filter[title][min][max]',
  'withCount[]',
  'relatedQuery',
  'rQ[nope][sort]',
  'rQ[tracks][filter]',
  '__proto__',
  'filter[__proto__]',
  'constructor[prototype]',
  '[',
  'a]b',
  '',
  '%00',
  '%ff',
]

const oddValues = [
  '',
  ',',
  '-',
  '0',
  '-1',
  '1.5',
  '1e9',
  '99999999999999999999',
  '%00',
  '%ff',
  '%',
  '+',
  '%F0%9F%8E%B5',
  "'%20or%201=1--",
  '__proto__',
  'constructor',
  'artist..albums',
  'artist.albums.artist.albums',
  'a'.repeat(3000),
  '%5B%5D',
  '{"a":1}',
  'null',
  '2026-02-30',
  'infinity',
]

/** Draws a path with one to four parameters, most of them valid there. */
function randomPath(sources: readonly QuerySource[], draw: RandomSource): string {
  const source = draw.pick(sources)
  const query = Array.from({ length: 1 + draw.below(4) }, () => {
    const { parameters } = draw.chance(95) ? source : draw.pick(sources)
    const name = draw.pick(draw.chance(95) ? Object.keys(parameters) : oddNames)
    const value = draw.pick(draw.chance(85) ? (parameters[name] ?? oddValues) : oddValues)
    return draw.chance(3) ? name : `${name}=${value}`
  })
  return `${draw.pick(source.paths)}?${query.join('&').replace(/[ {}"<>\\^`|]/g, encodeURIComponent)}`
}

function token(k: readonly string[], v: readonly unknown[]): string {
  return Buffer.from(JSON.stringify({ k, v, d: 'after' })).toString('base64url')
}

const books = defineResource(Book, {
  type: 'books',
  countable: true,
  fields: ({ id, string, integer, decimal, dateTime, belongsTo, belongsToMany }) => [
    id(),
    string('title').sortable(),
    integer('position').sortable(),
    decimal('rating').nullable().sortable(),
    dateTime('printedAt').nullable().sortable(),
    belongsTo('shelf', 'shelves').withFilters(({ where }) => [where('name')]),
    belongsToMany('tags', 'tags').countable(),
  ],
  sorts: { size: 'pages', mood: { handler: (descending) => [{ property: 'title', descending }] } },
  filters: (words) => [
    words.whereIn('title'),
    words.whereIdIn('ids', 'id'),
    words.range('position'),
    words.where('rating'),
    words.dateRange('printed', 'printedAt'),
    words.where('pages'),
    words.contains('text', 'title'),
    words.whereThrough('shelf.name'),
    words.whereHas('tags'),
    words.whereDoesntHave('untagged', 'tags'),
    words.whereAny('any', words.where('title'), words.startsWith('start', 'title')),
  ],
  pagination: () => menu(page({ size: 2 }), offset({ size: 2 }), cursor({ size: 2 }), fixedPage({ size: 2 })),
})

const shelves = defineResource(Shelf, {
  type: 'shelves',
  countable: true,
  fields: ({ id, string, hasMany, hasOne }) => [
    id(),
    string('name').sortable(),
    hasMany('books', 'books')
      .paginate(cursor({ size: 2 }))
      .withFilters(({ where }) => [where('above', 'position', '>')])
      .countable(),
    hasMany('fixed', 'books')
      .storedAs('books')
      .paginate(fixedPage({ size: 2 }))
      .countable(),
    hasMany('whole', 'books').storedAs('books').withoutPagination(),
    hasOne('label', 'labels'),
  ],
  pagination: () => offset({ size: 1 }),
})

const tags = defineResource(Tag, {
  type: 'tags',
  fields: ({ id, string, belongsToMany }) => [
    id(),
    string('name').sortable(),
    belongsToMany('books', 'books')
      .paginate(page({ size: 1, withCount: true }))
      .withData(),
  ],
  pagination: () => fixedPage({ size: 1 }),
})

const labels = defineResource(Label, {
  type: 'labels',
  fields: ({ id, string, belongsTo }) => [id(), string('text'), belongsTo('shelf', 'shelves')],
  pagination: () => cursor(),
})

const lists = defineResource(ReadingList, {
  type: 'lists',
  fields: ({ id, string, belongsToMany }) => [
    id(),
    string('name'),
    belongsToMany('books', 'books')
      .through(ListEntry)
      .fields(({ integer }) => [integer('place')])
      .withFilters(({ where }) => [where('place', 'pivot.place')])
      .countable(),
  ],
})
