import { registerHooks } from 'node:module'
import type { AddressInfo } from 'node:net'
import { defineEntity, p } from '@mikro-orm/core'

// An application without plugins, in a process of its own. Prints the answers to some requests and the modules that it has loaded.

const loaded: string[] = []
registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})

const { createApp } = await import('#app/kernel/boot/create-app.ts')
const { appConfig, pluginVariables, readConfig } = await import('#app/config.ts')
const { createHttp } = await import('#http')
const { defineResource } = await import('#kernel')
const { programMembers } = await import('#program')
const { createStore, openDatabase } = await import('#store')

const shelfSchema = defineEntity({
  name: 'Shelf',
  tableName: 'shelves',
  properties: {
    id: p.integer().primary(),
    name: p.string().length(80),
    books: () => p.oneToMany(Book).mappedBy('shelf'),
  },
})
class Shelf extends shelfSchema.class {}
shelfSchema.setClass(Shelf)

const bookSchema = defineEntity({
  name: 'Book',
  tableName: 'books',
  properties: {
    id: p.integer().primary(),
    title: p.string().length(80),
    shelf: () => p.manyToOne(Shelf).ref().nullable(),
  },
})
class Book extends bookSchema.class {}
bookSchema.setClass(Book)

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('books', 'books')],
})
const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, belongsTo }) => [id(), string('title'), belongsTo('shelf', 'shelves')],
})

const config = readConfig({ NODE_ENV: 'test', DATABASE_URL: process.env.DATABASE_URL }, pluginVariables([], {}))
const database = await openDatabase({ ...config, dataDir: null, entities: [Shelf, Book], migrations: [] })
await database.orm.schema.create()
const app = await createApp({
  http: createHttp,
  members: programMembers,
  config: appConfig(config),
  plugins: [],
  resources: [
    { resource: shelves, file: 'shelves.ts' },
    { resource: books, file: 'books.ts' },
  ],
  servers: { default: {} },
  store: createStore(database),
})
const server = await app.listen(0, '127.0.0.1')
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const answers: [status: number, data: unknown][] = []
await send('POST', '/shelves', { data: { type: 'shelves', attributes: { name: 'Prose' } } })
await send('POST', '/books', {
  data: {
    type: 'books',
    attributes: { title: 'Emma' },
    relationships: { shelf: { data: { type: 'shelves', id: '1' } } },
  },
})
await send('PATCH', '/books/1', { data: { type: 'books', id: '1', attributes: { title: 'Persuasion' } } })
await send('GET', '/books/1')
await send('GET', '/shelves/1/books')
await send('GET', '/shelves/1/relationships/books')
await send('PATCH', '/books/1/relationships/shelf', { data: null })
await send('GET', '/shelves/1/relationships/books')
await send('POST', '/shelves/1/relationships/books', { data: [{ type: 'books', id: '1' }] })
await send('GET', '/books/1/shelf')
await send('DELETE', '/books/1')
await send('GET', '/books')
await send('GET', '/books?include=shelf')

server.closeAllConnections()
server.close()
await app.close()
await database.close()
console.log(JSON.stringify({ answers, loaded }))

async function send(method: string, path: string, body?: object): Promise<void> {
  const headers = { 'Content-Type': 'application/vnd.api+json' }
  const response = await fetch(base + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await response.text()
  const { data, errors } = text === '' ? {} : JSON.parse(text)
  answers.push([response.status, data === undefined ? errors?.map(({ code }: { code: string }) => code) : data])
}
