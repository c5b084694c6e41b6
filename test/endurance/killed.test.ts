import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { discover, loadSeeds } from '#discovery'
import { migrate, type Seed, seed } from '#store'
import { createDraw } from '#test/specification/random.ts'
import { root } from '#test/support/app.ts'
import { startService } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { openTestDatabase, projectSchema, type TestDatabase } from '#test/support/database.ts'
import type { Service } from '#test/support/service.ts'

// The service is killed in the middle of writes with relationships: what it has acknowledged is there when it runs
// again, and what it has not is there whole, or not at all.

const first = ['tracks 1', 'albums 1', 'tracks 3']
const second = ['artists 1', 'tracks 4', 'albums 2', 'tracks 1']
const writes = 500
const writers = 4
const random = createDraw(20_240_229)

if (process.env.DATABASE_URL) {
  describe('The service on PostgreSQL, killed while it writes', () => {
    let database: TestDatabase
    before(async () => {
      database = await openTestDatabase(await projectSchema())
      await migrate(database)
      await seed(database, await loadSeeds<Seed>(await discover(root)))
    })
    after(() => database.close())

    it('has kept all that it acknowledged, and nothing in part', () =>
      survive(() => startService({ DATABASE_URL: database.databaseUrl as string })))
  })
} else {
  describe('The service on the embedded database, killed while it writes', () => {
    let dataDir: string
    before(() => {
      dataDir = mkdtempSync(join(tmpdir(), 'killed-'))
    })
    after(() => rmSync(dataDir, { recursive: true, force: true }))

    it('has kept all that it acknowledged, and nothing in part', () =>
      survive(() => startService({ DATA_DIR: dataDir })))
  })
}

/** What the service has acknowledged of a library: that it was made, and that its items were replaced. */
type Acknowledged = Map<string, 'made' | 'replaced'>

async function survive(start: () => Promise<Service>): Promise<void> {
  const acknowledged: Acknowledged = new Map()
  let done = 0
  let service = await start()
  try {
    while (done < writes) {
      done += await writeUntilKilled(service, acknowledged, 30 + random.below(40))
      service = await start()
      await expectWhole(service.client, acknowledged)
    }
  } finally {
    await service.kill()
  }
}

/** Several clients write at once; the service is killed some moments after so many answers, whatever it is at. */
async function writeUntilKilled(service: Service, acknowledged: Acknowledged, limit: number): Promise<number> {
  let count = 0
  let killed: Promise<unknown> | null = null
  const acknowledge = (id: string, what: 'made' | 'replaced') => {
    acknowledged.set(id, what)
    if (++count >= limit) killed ??= setTimeout(random.below(20)).then(() => service.kill())
  }
  await Promise.all(Array.from({ length: writers }, () => write(service.client, acknowledge, () => killed !== null)))
  await killed
  return count
}

async function write(
  client: Client,
  acknowledge: (id: string, what: 'made' | 'replaced') => void,
  isKilled: () => boolean,
): Promise<void> {
  try {
    for (;;) {
      const relationships = { items: named(first) }
      const made = await client.post('/libraries', { data: { type: 'libraries', relationships } })
      expect(made.status, made.text).to.equal(201)
      const { id } = made.body.data
      acknowledge(id, 'made')
      const replaced = await client.patch(`/libraries/${id}/relationships/items`, named(second))
      expect(replaced.status, replaced.text).to.equal(200)
      acknowledge(id, 'replaced')
    }
  } catch (error) {
    if (!isKilled() || !isConnectionLost(error)) throw error
  }
}

async function expectWhole(client: Client, acknowledged: Acknowledged): Promise<void> {
  const libraries = await readLibraries(client)
  expect([...libraries.keys()]).to.include.members([...acknowledged.keys()])
  for (const [id, items] of libraries) {
    if (id === '1') continue // of the demo data
    const whole = acknowledged.get(id) === 'replaced' ? [second] : [first, second]
    expect(whole, `library ${id}`).to.deep.include(items)
  }
}

/** All libraries with their items, page by page. */
async function readLibraries(client: Client): Promise<Map<string, string[]>> {
  const libraries = new Map<string, string[]>()
  let next = '/libraries?include=items&page[size]=100'
  while (next) {
    const { status, text, body } = await client.get(next)
    expect(status, text).to.equal(200)
    for (const { id, relationships } of body.data) libraries.set(id, relationships.items.data.map(nameOf))
    next = body.links?.next ?? ''
  }
  return libraries
}

function named(names: readonly string[]) {
  return { data: names.map((name) => ({ type: name.split(' ')[0], id: name.split(' ')[1] })) }
}

function nameOf({ type, id }: { type: string; id: string }): string {
  return `${type} ${id}`
}

/** As fetch tells it, while it waits for the answer or in the middle of it. */
function isConnectionLost(error: unknown): boolean {
  return error instanceof TypeError && /fetch failed|terminated/.test(error.message)
}
