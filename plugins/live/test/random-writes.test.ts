import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { Principal } from '#kernel/plugin'
import { Policy } from '#plugins/authorization/index.ts'
import { bearerAuth } from '#plugins/bearer-auth/index.ts'
import type { Database } from '#store'
import { createRandomSource } from '#test/prove/random.ts'
import type { TestApp } from '#test/support/app.ts'
import { eventually } from '#test/support/eventually.ts'
import { as } from '#test/support/principals.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { openStream } from '#test/template/support/read-events.ts'
import { openRecordedLibrary, startRecordedLibrary, withPlugins } from '#test/template/support/recorded-library.ts'
import { live } from '../index.ts'

/** LIVE_WRITES=2000 and LIVE_SEED=7 run longer, and repeat a run. */
const writes = Number(process.env.LIVE_WRITES ?? 150)
const seed = Number(process.env.LIVE_SEED ?? 1)

/** The shelves whose books each principal sees. */
const shelvesOf = new Map<string, number[]>()
const seen = (principal: Principal | null) => shelvesOf.get(principal?.identifier ?? '') ?? []

class BookPolicy extends Policy<Book> {
  static override readonly needs = { view: [], update: [], delete: [] } as never
  override scope = (principal: Principal | null) => ({ shelf: { $in: seen(principal) } })
  override viewAny = () => true
  override view = () => true
  override create = () => true
  override update = () => true
  override delete = () => true
  restore = () => true
  forceDelete = () => true
}

const books = defineResource(Book, {
  type: 'books',
  changes: true,
  policy: BookPolicy,
  softDeletes: { property: 'removedAt' },
  filters: ({ where }) => [where('position', 'position', '>')],
  pagination: () => null,
  fields: ({ id, string, integer, belongsTo }) => [
    id(),
    string('title').required(),
    integer('position'),
    string('secret')
      .nullable()
      .hiddenFor(({ principal }) => principal?.identifier !== 'ada'),
    belongsTo('shelf', 'shelves'),
  ],
})
const shelves = defineResource(Shelf, {
  type: 'shelves',
  changes: true,
  fields: ({ id, string }) => [id(), string('name').required()],
})
const tags = defineResource(Tag, { type: 'tags', fields: ({ id, string }) => [id().allowClientId(), string('name')] })
const labels = defineResource(Label, { type: 'labels', fields: ({ id, string }) => [id(), string('text')] })

type Resource = { readonly type: string; readonly id: string }

/** A client that keeps what its streams say, and connects again at random. */
class Follower {
  readonly rows = new Map<string, Resource>()
  readonly included = new Map<string, Resource>()
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly #url: string
  readonly #mayCut: () => boolean
  #isClosed = false
  #close = () => {}

  constructor(url: string, path: string, headers: Readonly<Record<string, string>>, mayCut: () => boolean) {
    this.#url = url
    this.path = path
    this.headers = headers
    this.#mayCut = mayCut
  }

  async follow(): Promise<void> {
    for (let lastEventId = ''; !this.#isClosed; ) {
      const stream = await openStream(this.#url + this.path, { ...this.headers, 'last-event-id': lastEventId })
      expect(stream.status).to.equal(200)
      this.#close = stream.close
      for (let event = await stream.next(); event; event = await stream.next()) {
        const { data, included = [] } = event.data as { data: Resource[]; included?: Resource[] }
        if (event.event === 'snapshot') for (const map of [this.rows, this.included]) map.clear()
        for (const one of included) this.included.set(`${one.type}/${one.id}`, one)
        for (const one of data) {
          if (event.event === 'removed')
            expect(this.rows.delete(one.id), 'removed without having been sent').to.equal(true)
          else if (event.event === 'changed')
            expect(this.rows.has(one.id), 'changed without having been added').to.equal(true)
          if (event.event !== 'removed') this.rows.set(one.id, one)
        }
        lastEventId = event.id
        if (this.#mayCut()) stream.close()
      }
    }
  }

  close(): void {
    this.#isClosed = true
    this.#close()
  }
}

describe('Live collections under random writes', () => {
  let database: Database
  let started: TestApp
  const listed = withPlugins(live()).map((plugin) =>
    plugin.name === 'bearer-auth' ? bearerAuth({ developmentTokens: { ada: [], eve: [] } }) : plugin,
  )
  before(async () => {
    database = await openRecordedLibrary(listed)
    const resources = [books, shelves, tags, labels].map((resource) => ({ file: 'random-writes.test.ts', resource }))
    started = await startRecordedLibrary(database, { plugins: listed, resources, undescribed: ['default', 'admin'] })
    Object.assign(started.app.config, { variables: { ...started.app.config.variables, LIVE_RECHECK_SECONDS: 1 } })
    await started.app.start()
    await started.app.store.queue.stop()
  })
  after(async () => {
    await started.close()
    await database.close()
  })

  it(`snapshot and events are the collection as it is read now, for every requester (seed ${seed})`, async function () {
    this.timeout(600_000)
    const { app, client } = started
    const source = createRandomSource(seed)
    const random = () => source.below(1_000) / 1_000
    const pick = (count: number) => source.below(count) + 1
    shelvesOf.set('ada', [1, 2, 3]).set('eve', [2]).set('', [3])
    await app.store.query(`insert into shelves (id, name) values (1, 'a'), (2, 'b'), (3, 'c')`)
    await app.store.query(
      `insert into books (id, title, shelf_id) select i, 't' || i, i % 3 + 1 from generate_series(1, 20) i`,
    )

    const paths = ['/books', '/books?filter[position]=3', '/books?include=shelf']
    const followers = [as('ada'), as('eve'), {}].flatMap((headers) =>
      paths.map((path) => new Follower(client.url, path, headers, () => random() < 0.1)),
    )
    const following = followers.map((follower) => follower.follow())

    const write = async () => {
      const id = pick(30)
      const statements = [
        `update books set title = title || '${pick(9)}' where id = ${id}`,
        `update books set position = ${pick(6)} where id = ${id}`,
        `update books set shelf_id = ${pick(3)} where id = ${id}`,
        `update books set removed_at = case when removed_at is null then now() end where id = ${id}`,
        `update books set secret = '${pick(99)}' where id = ${id}`,
        `delete from books where id = ${id}`,
        `insert into books (id, title, shelf_id) values (${id}, 'n', ${pick(3)}) on conflict do nothing`,
        `update shelves set name = name || '${pick(9)}' where id = ${pick(3)}`,
      ]
      const rollsBack = random() < 0.1
      await app.store
        .write(async (unit) => {
          for (let count = pick(3); count > 0; count--)
            await unit.run(statements[pick(statements.length) - 1] as string, [])
          if (process.env.DATABASE_URL && random() < 0.3) await setTimeout(pick(20))
          if (rollsBack) throw new Error('rolled back')
        })
        .catch((error) => {
          if (!rollsBack) throw error
        })
      if (random() < 0.02) shelvesOf.set('eve', [pick(3)])
      if (random() < 0.02) shelvesOf.set('', [pick(3), pick(3)])
    }
    const writers = Array.from({ length: 3 }, async () => {
      for (let index = 0; index < writes / 3; index++) {
        await write()
        await setTimeout(pick(10))
      }
    })
    await Promise.all(writers)

    for (const { path, headers, rows, included } of followers) {
      const isEqual = async () => {
        const { body } = await client.get(path, { ...headers })
        const byId = (list: readonly Resource[]) => list.toSorted((a, b) => Number(a.id) - Number(b.id))
        const shown = (body.included ?? []).every(
          (one: Resource) => JSON.stringify(included.get(`${one.type}/${one.id}`)) === JSON.stringify(one),
        )
        return shown && JSON.stringify(byId([...rows.values()])) === JSON.stringify(byId(body.data))
      }
      await eventually(isEqual, 15).catch((error) => {
        throw new Error(`${path} of ${headers.authorization ?? 'an anonymous requester'}: ${error.message}`)
      })
    }
    for (const follower of followers) follower.close()
    await Promise.all(following)
  })
})
