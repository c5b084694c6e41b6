import { expect } from 'chai'
import { appConfig, readConfig } from '#app/config.ts'
import { createApp } from '#app/kernel/boot/create-app.ts'
import { plugins } from '#app/plugins.ts'
import { createHttp } from '#http'
import type { Resource } from '#kernel'
import { BootError, type ServerOptions } from '#kernel/plugin'
import { seeOther } from '#plugins/async-writes/index.ts'
import { cursor } from '#plugins/cursor-profile/index.ts'
import { fixedPage, menu, offset, page } from '#plugins/pagination/index.ts'
import { ok } from '#plugins/responses/index.ts'
import { programMembers } from '#program'
import { createStore, mapEntities } from '#store'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'

// Values of another kind than the compiler accepts, in declarations that avoid the compiler with casts.

// biome-ignore lint/suspicious/noExplicitAny: these declarations are not checked by the compiler
type Builders = Record<string, any>
type Loose = Readonly<Record<string, unknown>>

const fields = ({ id, string, hasMany }: Builders) => [id(), string('name'), hasMany('books', 'books')]
const shelves = (declaration: Loose) => ({ entity: Shelf, declaration: { type: 'shelves', fields, ...declaration } })
const withFields = (...declared: readonly ((builders: Builders) => unknown)[]) =>
  shelves({ fields: (builders: Builders) => [...declared.map((declare) => declare(builders))] })
const books = { entity: Book, declaration: { type: 'books', fields: ({ id }: Builders) => [id()] } }

const store = mapEntities([Shelf, Book, Tag, Label]).then((orm) => createStore({ orm }))

/** Returns the faults of the boot. Rejects with any other error, such as a TypeError. */
async function listBootFaults(resource: object, servers: Loose = { default: {} }): Promise<string[]> {
  const attempt = createApp({
    http: createHttp,
    members: programMembers,
    config: appConfig(readConfig({})),
    plugins,
    resources: [resource, books].map((one) => ({ file: 'shelves.ts', resource: one as Resource })),
    servers: servers as Readonly<Record<string, ServerOptions>>,
    store: await store,
  })
  return attempt.then(
    () => [],
    (error: Error) => {
      if (!(error instanceof BootError)) throw error
      return error.message.split('\n')
    },
  )
}

type Case = readonly [title: string, resource: object, ...faults: string[]]

const keys: readonly Case[] = [
  [
    'an unknown key of cacheHeaders',
    shelves({ cacheHeaders: { maxage: 60, operations: { reads: {}, read: { s_maxage: 1, shared: true } } } }),
    "shelves.cacheHeaders.operations.read: 'shared' is not one of its keys. Accepted: max_age, s_maxage, public, private, no_cache, must_revalidate, vary.",
    "shelves.cacheHeaders.operations: 'reads' is not one of its keys. Accepted: collection, read, related, relationship. Did you mean 'read'?",
    "shelves.cacheHeaders: 'maxage' is not one of its keys. Accepted: max_age, s_maxage, public, private, no_cache, must_revalidate, vary, operations. Did you mean 'max_age'?",
  ],
  [
    'directives that exclude each other',
    shelves({ cacheHeaders: { operations: { read: { public: true, private: true } } } }),
    'shelves.cacheHeaders.operations.read: It cannot be both public and private.',
  ],
  ['uriType as a function', shelves({ uriType: () => 'racks' }), 'shelves.uriType: It is a text.'],
  ['readOnly as a text', shelves({ readOnly: 'yes' }), 'shelves.readOnly: It is true or false.'],
  ['emitsSelfLink as a number', shelves({ emitsSelfLink: 1 }), 'shelves.emitsSelfLink: It is true or false.'],
  ['typeOf as a text', shelves({ typeOf: 'shelves' }), 'shelves.typeOf: It is a function.'],
  ['scope as an object', shelves({ scope: { name: 'A' } }), 'shelves.scope: It is a function.'],
  ['meta as a text', shelves({ meta: 'new' }), 'shelves.meta: It is an object, or a function that returns one.'],
  ['tags as a number', shelves({ tags: 5 }), 'shelves.tags: It is a list.'],
  ['a tag as a number', shelves({ tags: ['A', 5] }), 'shelves.tags.1: It is a text.'],
  [
    'a description of an unknown operation',
    shelves({ descriptions: { Creat: 'Adds a shelf.' } }),
    "shelves.descriptions: 'Creat' is not one of its keys. Accepted: FetchCollection, FetchOne, FetchRelated, FetchRelationship, Create, Update, Delete, UpdateRelationship, AddToRelationship, RemoveFromRelationship, Action, FetchAction. Did you mean 'Create'?",
  ],
  ['exampleId as a number', shelves({ exampleId: 5 }), 'shelves.exampleId: It is a text.'],
  [
    'an unknown ability',
    shelves({ abilities: { lst: false } }),
    "shelves.abilities: 'lst' is not one of its keys. Accepted: list, read, create, update, delete. Did you mean 'list'?",
  ],
  [
    'unknown keys of a sort, of soft deletes and of security()',
    shelves({
      sorts: { label: { propety: 'name' } },
      softDeletes: { property: 'deletedAt', by: 'Ada' },
      fields: ({ id, hasMany }: Builders) => [id(), hasMany('books', 'books').security({ reed: 'view' })],
    }),
    "shelves.sorts.label: 'propety' is not one of its keys. Accepted: property, handler, availableWhen. Did you mean 'property'?",
    "shelves.softDeletes: 'by' is not one of its keys. Accepted: property.",
    "shelves.books: security(): 'reed' is not one of its keys. Accepted: read, mutate. Did you mean 'read'?",
  ],
  ['defaultSort as a text', shelves({ defaultSort: '-name' }), 'shelves.defaultSort: It is a list.'],
  ['filters as a list', shelves({ filters: [] }), 'shelves.filters: It is a function.'],
  [
    'filters that return a number',
    shelves({ filters: () => 5 }),
    'shelves.filters: The function returns a list whose entries are made by its builders.',
  ],
  [
    'actions that return a number',
    shelves({ actions: () => 5 }),
    'shelves.actions: The function returns a list whose entries are made by its builders.',
  ],
  [
    'an unknown key of an action',
    shelves({
      actions: ({ action }: Builders) => [action('dust', { answer: 'noContent', handle: () => null, tags: 'A' })],
    }),
    'shelves.actions.dust.tags: It is a list.',
    "shelves.actions.dust: 'answer' is not one of its keys. Accepted: name, on, method, input, inputType, accepts, maxBytes, answers, ability, server, tags, summary, description, asLink, showsSecret, errors, handle, run, offersLink, event, findSubject. Did you mean 'answers'?",
  ],
  ['exceptions as an object', shelves({ exceptions: { Error: 400 } }), 'shelves.exceptions: It is a list.'],
  ['countable as a text', shelves({ countable: 'yes' }), 'shelves.countable: It is true or false.'],
  [
    'a response that is no response',
    shelves({ create: 201 }),
    'shelves.create: It is a response such as created() or noContent(), or a list of them.',
  ],
  [
    'seeOther() without completionLocation',
    shelves({ fetchOne: [ok(), seeOther()] }),
    'shelves.fetchOne: seeOther() is among its answers, but nothing returns the URL of the result: add completionLocation.',
  ],
  [
    'unknown include paths',
    shelves({ allowedIncludePaths: ['books', 'boks', 'books.shelf', 'name'] }),
    "shelves.allowedIncludePaths: 'boks' is not a path of relations: 'shelves' has no relation 'boks'. Did you mean 'books'?",
    "shelves.allowedIncludePaths: 'books.shelf' is not a path of relations: 'books' has no relation 'shelf'.",
    "shelves.allowedIncludePaths: 'name' is not a path of relations: 'shelves' has no relation 'name'.",
  ],
  ['a depth of includes as a text', shelves({ maxIncludeDepth: '2' }), 'shelves.maxIncludeDepth: It is a number.'],
  [
    'a page of a negative size',
    shelves({ pagination: () => page({ size: -1 }) }),
    'shelves.pagination: size of page(): It is at least 1.',
  ],
  [
    'paginators with unknown and malformed options, in a menu',
    shelves({ pagination: () => menu(offset({ max: 1.5 }), cursor({ sise: 5 } as never), fixedPage({ size: 0 })) }),
    'shelves.pagination: max of offset(): It is a whole number.',
    "shelves.pagination: cursor(): 'sise' is not one of its keys. Accepted: size, max. Did you mean 'size'?",
    'shelves.pagination: size of fixedPage(): It is at least 1.',
  ],
  [
    'pagination that returns a number',
    shelves({ pagination: () => 5 }),
    'shelves.pagination: The function returns a paginator such as page(), or null.',
  ],
  [
    'pagination that throws',
    shelves({
      pagination: () => {
        throw new Error('No paginator')
      },
    }),
    'shelves.pagination: The function throws: No paginator',
  ],
  ['a negative perPage', shelves({ perPage: -1 }), 'shelves.perPage: It is at least 1.'],
  ['a negative maxPerPage', shelves({ maxPerPage: -1 }), 'shelves.maxPerPage: It is at least 0.'],
  [
    'several malformed keys',
    shelves({ tags: 5, uriType: () => '', perPage: 'all', beforeSave: 'log', job: { name: 'a' } }),
    'shelves.tags: It is a list.',
    'shelves.uriType: It is a text.',
    'shelves.perPage: It is a number.',
    'shelves.beforeSave: It is a function.',
    'shelves.job.run: It is missing.',
  ],
]

const modifiers: readonly Case[] = [
  [
    'generated() and generateUsing()',
    withFields(({ id }) =>
      id()
        .ulid()
        .generated()
        .generateUsing(() => 1),
    ),
    'shelves.id: Use either generated() or generateUsing().',
  ],
  [
    'sparseByDefault() and notSparseField()',
    withFields(
      ({ id }) => id(),
      ({ string }) => string('name').sparseByDefault().notSparseField(),
    ),
    'shelves.name: Use either sparseByDefault() or notSparseField().',
  ],
  [
    'paginate() and withoutPagination()',
    withFields(
      ({ id }) => id(),
      ({ hasMany }) => hasMany('books', 'books').paginate(page()).withoutPagination(),
    ),
    'shelves.books: Use either paginate() or withoutPagination().',
  ],
  [
    'arguments of another kind',
    withFields(
      ({ id }) => id().encodeUsing({ encode: 'base64' }),
      ({ string }) => string('name').maxLength(-1).describedAs(5).serializeUsing('upper').on(5),
      ({ hasMany }) => hasMany('books', 'books').paginate(5).identifierMeta('none'),
    ),
    'shelves.id: encodeUsing().encode: It is a function.',
    'shelves.id: encodeUsing().decode: It is missing.',
    'shelves.name: maxLength(): It is at least 0.',
    'shelves.name: describedAs(): It is a text.',
    'shelves.name: serializeUsing(): It is a function.',
    'shelves.name: on(): It is a text.',
    'shelves.books: paginate(): It is a paginator such as page().',
    'shelves.books: identifierMeta(): It is a function.',
  ],
]

describe('A declaration with a value of another form', () => {
  for (const [title, resource, ...faults] of [...keys, ...modifiers]) {
    it(`is a boot error with type, member and file: ${title}`, async () => {
      const expected = faults.map((fault) => fault.replace(': ', ' (shelves.ts): '))
      expect(await listBootFaults(resource)).to.deep.equal(expected)
    })
  }

  it('is a boot error with the name of the server when an option of a server has another form', async () => {
    const server = { prefix: 5, middleware: 'log', paginator: page({ size: -1 }), baseUrl: 'https://a.example' }
    expect(await listBootFaults(shelves({}), { default: server })).to.deep.equal([
      "The server 'default': prefix: It is a text.",
      "The server 'default': middleware: It is a list.",
      "The server 'default': 'baseUrl' is not one of its keys. Accepted: prefix, domain, baseUri, relativeLinks, middleware, profiles, parameters, handler, mountManually, maxIncludeDepth, paginator. Did you mean 'baseUri'?",
      "The server 'default': paginator: size of page(): It is at least 1.",
    ])
  })
})
