import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { discover, loadSeeds } from '#discovery'
import { migrate, type Seed, seed } from '#store'
import { createRandomSource } from '#test/conformance/random.ts'
import { root } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'
import { openTestDatabase, projectSchema, type TestDatabase } from '#test/support/database.ts'
import { startService } from '#test/template/support/catalogue-service.ts'
import type { Service } from '#test/template/support/service.ts'

// The service is killed during writes with relationships: acknowledged writes exist after a restart, and others exist
// completely or not at all.

const first = ['tracks 1', 'albums 1', 'tracks 3']
const second = ['artists 1', 'tracks 4', 'albums 2', 'tracks 1']
/** A start of the embedded database takes some seconds. */
const writes = process.env.DATABASE_URL ? 120 : 60
const writers = 4
const random = createRandomSource(20_240_229)

if (process.env.DATABASE_URL) {
  describe('Service on PostgreSQL killed during writes', () => {
    let database: TestDatabase
    before(async () => {
      database = await openTestDatabase(await projectSchema())
      await migrate(database)
      await seed(database, await loadSeeds<Seed>(await discover(root)))
    })
    after(() => database.close())

    it('keeps acknowledged writes, and no partial write', () =>
      expectDurableWrites(() => startService({ DATABASE_URL: database.databaseUrl as string })))
  })
} else {
  describe('Service on the embedded database killed during writes', () => {
    let dataDir: string
    before(() => {
      dataDir = mkdtempSync(join(tmpdir(), 'killed-'))
    })
    after(() => rmSync(dataDir, { recursive: true, force: true }))

    it('keeps acknowledged writes, and no partial write', () =>
      expectDurableWrites(() => startService({ DATA_DIR: dataDir })))
  })
}

/** The acknowledged state of a library: created, or its items replaced. */
type Acknowledged = Map<string, 'created' | 'replaced'>

async function expectDurableWrites(start: () => Promise<Service>): Promise<void> {
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

/** Several clients write concurrently; kills the service a few milliseconds after `limit` responses. */
async function writeUntilKilled(service: Service, acknowledged: Acknowledged, limit: number): Promise<number> {
  let count = 0
  let killed: Promise<unknown> | null = null
  const acknowledge = (id: string, state: 'created' | 'replaced') => {
    acknowledged.set(id, state)
    if (++count >= limit) killed ??= setTimeout(random.below(20)).then(() => service.kill())
  }
  await Promise.all(Array.from({ length: writers }, () => write(service.client, acknowledge, () => killed !== null)))
  await killed
  return count
}

async function write(
  client: Client,
  acknowledge: (id: string, state: 'created' | 'replaced') => void,
  isKilled: () => boolean,
): Promise<void> {
  try {
    for (;;) {
      const relationships = { items: named(first) }
      const created = await client.post('/libraries', { data: { type: 'libraries', relationships } })
      expect(created.status, created.text).to.equal(201)
      const { id } = created.body.data
      acknowledge(id, 'created')
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
    const complete = acknowledged.get(id) === 'replaced' ? [second] : [first, second]
    expect(complete, `library ${id}`).to.deep.include(items)
  }
}

/** Returns all libraries with their items. */
async function readLibraries(client: Client): Promise<Map<string, string[]>> {
  const libraries = new Map<string, string[]>()
  let next = '/libraries?include=items&page[size]=100'
  while (next) {
    const { status, text, body } = await client.get(next)
    expect(status, text).to.equal(200)
    for (const { id, relationships } of body.data) libraries.set(id, relationships.items.data.map(printIdentifier))
    next = body.links?.next ?? ''
  }
  return libraries
}

function named(names: readonly string[]) {
  return { data: names.map((name) => ({ type: name.split(' ')[0], id: name.split(' ')[1] })) }
}

function printIdentifier({ type, id }: { type: string; id: string }): string {
  return `${type} ${id}`
}

/** Returns whether fetch lost the connection before or during the response. */
function isConnectionLost(error: unknown): boolean {
  return error instanceof TypeError && /fetch failed|terminated/.test(error.message)
}
