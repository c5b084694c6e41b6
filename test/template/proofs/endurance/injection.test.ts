import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import type { ResourceType } from '#kernel'
import { conflict } from '#kernel/errors'
import { addSteps, type Plugin, type Server } from '#kernel/plugin'
import { findFilters, relationFilters } from '#plugins/filtering/index.ts'
import { markDirty, type TestApp } from '#test/support/app.ts'
import { startApp } from '#test/support/catalogue.ts'
import { mediaType } from '#test/support/client.ts'
import { resetTestDatabase, testDatabase } from '#test/support/database.ts'
import type { Json } from '#test/template/support/corrupt-json.ts'
import { injections } from '#test/template/support/hostile-texts.ts'
import { type Corpus, readCorpus, tokens } from '../fuzz/corpus.ts'
import { createSender, type FuzzRequest, type Send } from '../fuzz/send.ts'

// Text that could be read as SQL, at every position of a request that leads to a statement. Writes run completely and are
// rolled back, so that all rows stay unchanged.

describe('SQL injection', () => {
  let app: TestApp
  let corpus: Corpus
  let sender: { send: Send; close(): void }
  let rows: readonly string[]
  const logged: string[] = []

  before(async () => {
    const error = (details: object) => void logged.push(String((details as { err?: Error }).err?.stack))
    const logger = { error, warn: () => {}, info: () => {} }
    app = await startApp({ logger, plugins: [...plugins, failingCommit] })
    sender = createSender(Number(new URL(app.client.url).port))
    await resetTestDatabase()
    corpus = oncePerType(await readCorpus(app.app, sender.send))
    rows = await everyRow()
  })
  beforeEach(() => {
    isRefused = true
  })
  afterEach(() => {
    isRefused = false
  })
  after(async () => {
    sender.close()
    await app.close()
    markDirty()
  })

  const positions: Readonly<Record<string, (corpus: Corpus, text: string) => Iterable<FuzzRequest>>> = {
    'filters of types and relations': inFilters,
    'sorting, includes and fieldsets': inNames,
    'pages and cursors': inPages,
    ids: inIds,
    attributes: inAttributes,
    linkage: inLinkage,
    batches: inBatches,
  }
  for (const [position, requestsIn] of Object.entries(positions)) {
    it(`binds text as a parameter in ${position}`, async () => {
      const requests = injections.flatMap((text) => [...requestsIn(corpus, text)]).values()
      const statuses = new Map<number, number>()
      const worker = async () => {
        for (const request of requests) {
          const { status, text } = await sender.send(request)
          expect(status, `${request.method} ${request.path} ${request.body}\n${text}`).to.be.below(500)
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }
      }
      await Promise.all([worker(), worker(), worker(), worker()])
      expect(logged).to.deep.equal([])
      expect(await everyRow()).to.deep.equal(rows)
      expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).to.be.greaterThan(500)
    })
  }
})

/** Keeps one server per type, because all servers of a type run the same statements. */
function oncePerType(corpus: Corpus): Corpus {
  return { ...corpus, types: [...new Map(corpus.types.map((served) => [served.type, served])).values()] }
}

let isRefused = false

/** Fails a write after all its statements have run. */
const failingCommit: Plugin = {
  name: 'failing-commit',
  plan: addSteps({
    transaction({ beforeCommit }) {
      if (isRefused) beforeCommit(refuse)
      return undefined
    },
  }),
}

function refuse(): never {
  throw conflict({ reason: 'Rolled back by the test.' })
}

function* inFilters({ types }: Corpus, text: string): Iterable<FuzzRequest> {
  for (const { server, type } of types) {
    for (const key of findFilters(type).keys()) {
      for (const shape of ['', '[]', '[min]']) yield read(server, type, `?filter[${key}]${shape}=${encode(text)}`)
    }
    yield read(server, type, `?filter[${encode(text)}]=1`)
  }
  for (const { server, type } of types) {
    for (const relation of type.relations) {
      for (const key of relationFilters(relation).keys()) {
        yield read(server, type, `/1/${relation.segment}?filter[${key}]=${encode(text)}`)
      }
    }
  }
}

function* inNames({ types }: Corpus, text: string): Iterable<FuzzRequest> {
  for (const { server, type } of types) {
    for (const parameter of ['sort', 'include', `fields[${type.name}]`, 'withCount']) {
      yield read(server, type, `?${parameter}=${encode(text)}`)
    }
  }
}

function* inPages({ types, cursors }: Corpus, text: string): Iterable<FuzzRequest> {
  const forged = cursors.slice(0, 4).map((cursor) => forge(cursor, text))
  for (const { server, type } of types) {
    for (const member of ['number', 'size', 'offset', 'limit', 'kind', 'after', 'before']) {
      yield read(server, type, `?page[${member}]=${encode(text)}`)
    }
    for (const cursor of forged) yield read(server, type, `?page[after]=${cursor}`)
  }
}

function* inIds({ types }: Corpus, text: string): Iterable<FuzzRequest> {
  for (const { server, type } of types) {
    const path = `${server.prefix}/${type.uriType}/${encode(text)}`
    yield message('GET', path)
    yield message('DELETE', path)
    yield message('PATCH', path, { data: { type: type.name, id: text, attributes: {} } })
    yield message('POST', `${server.prefix}/${type.uriType}`, { data: { type: type.name, id: text, attributes: {} } })
    for (const { segment } of type.relations) yield message('GET', `${path}/${segment}`)
  }
}

function* inAttributes(corpus: Corpus, text: string): Iterable<FuzzRequest> {
  if (!/['"\\$;?]/.test(text)) return
  for (const { server, type } of corpus.types) {
    const [id = '1'] = corpus.ids.get(type.name) ?? []
    const whole = sampleAttributes(type, corpus)
    for (const { name } of type.attributes) {
      const attributes = { ...whole, [name]: Array.isArray(whole[name]) ? [text] : text }
      yield message('POST', `${server.prefix}/${type.uriType}`, { data: { type: type.name, attributes } })
      const data = { type: type.name, id, attributes: { [name]: attributes[name] as Json } }
      yield message('PATCH', `${server.prefix}/${type.uriType}/${encode(id)}`, { data }, tokens[1])
    }
  }
}

function* inLinkage({ types, ids }: Corpus, text: string): Iterable<FuzzRequest> {
  for (const { server, type } of types) {
    const [id = '1'] = ids.get(type.name) ?? []
    for (const { name, segment, toMany, targetNames } of type.relations) {
      const identifier = { type: targetNames[0] ?? '', id: text }
      const data = toMany ? [identifier] : identifier
      const path = `${server.prefix}/${type.uriType}/${encode(id)}`
      yield message('PATCH', `${path}/relationships/${segment}`, { data })
      if (toMany) yield message('POST', `${path}/relationships/${segment}`, { data })
      yield message('PATCH', path, { data: { type: type.name, id, relationships: { [name]: { data } } } })
    }
  }
}

function* inBatches({ types }: Corpus, text: string): Iterable<FuzzRequest> {
  for (const { server, type } of types) {
    const ref = { type: type.name, id: text }
    const lid = { type: type.name, lid: text, attributes: {} }
    const operations: Json[] = [
      { op: 'remove', ref },
      { op: 'update', ref, data: { ...ref, attributes: {} } },
      { op: 'add', data: lid },
    ]
    for (const operation of operations) {
      yield message('POST', `${server.prefix}/operations`, { 'atomic:operations': [operation] })
    }
  }
}

function read({ prefix }: Server, { uriType }: ResourceType, rest: string): FuzzRequest {
  return message('GET', `${prefix}/${uriType}${rest}`)
}

function message(method: string, path: string, body: Json = null, token = tokens[0]): FuzzRequest {
  const type = path.endsWith('/operations') ? `${mediaType}; ext="https://jsonapi.org/ext/atomic"` : mediaType
  const headers = { accept: type, authorization: `Bearer ${token}`, ...(body !== null && { 'content-type': type }) }
  return { method, path, headers, body: body === null ? null : JSON.stringify(body) }
}

/** Returns a valid cursor with the text in place of its values. */
function forge(cursor: string, text: string): string {
  const token = JSON.parse(Buffer.from(cursor, 'base64url').toString(), (_, value) =>
    typeof value === 'string' || typeof value === 'number' ? text : value,
  )
  return Buffer.from(JSON.stringify(token)).toString('base64url')
}

function sampleAttributes({ name, attributes }: ResourceType, { samples }: Corpus): Record<string, Json> {
  return Object.fromEntries(
    attributes.map((attribute) => [attribute.name, samples.get(`${name}.${attribute.name}`)?.[0] ?? 'x']),
  )
}

function encode(text: string): string {
  return encodeURIComponent(text)
}

/** Returns a line per row of every table. */
async function everyRow(): Promise<readonly string[]> {
  const connection = (await testDatabase()).orm.em.getConnection()
  const tables = await connection.execute<{ name: string }[]>(
    `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
  )
  const lines = await Promise.all(
    tables.map(({ name }) =>
      connection.execute<{ line: string }[]>(`select '${name} ' || t::text as line from "${name}" t`),
    ),
  )
  return lines
    .flat()
    .map(({ line }) => line)
    .toSorted()
}
