import { hash } from 'node:crypto'
import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource, defineType, type Provider, storeProvider } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { versionKey } from '#kernel/queries'
import { memoryStore } from '#memory'
import { startApp, type TestApp } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { versionsProfile } from '../index.ts'

// The versions of these rows are digests of all columns, of which a requester sees only a part.

const schema = defineEntity({
  name: 'Person',
  tableName: 'people',
  properties: { id: p.integer().primary(), name: p.text(), pin: p.text() },
})
class Person extends schema.class {}
schema.setClass(Person)

const viewSchema = defineEntity({
  name: 'Listed',
  tableName: 'listed',
  view: true,
  expression: 'select id, name, pin from people',
  properties: { id: p.integer().primary(), name: p.text(), pin: p.text() },
})
class Listed extends viewSchema.class {}
viewSchema.setClass(Listed)

const accept = `application/vnd.api+json; profile="${versionsProfile}"`
const secret = 'a secret of at least 32 characters'
const jwt = { JWT_SECRET: secret, JWT_ISSUER: 'https://id.example', JWT_AUDIENCE: 'api' }
const types = ['listed', 'read', 'remembered'] as const

describe('The version of a row with hidden columns', () => {
  let database: TestDatabase
  const started: TestApp[] = []
  const start = async (env: Record<string, string>): Promise<Client> => {
    const app = await startApp({ database, config: configFrom(env), resources: declare(), onWrite: () => {} })
    started.push(app)
    return app.client
  }
  const execute = (sql: string) => database.orm.em.getConnection().execute(sql)
  const versionOf = async (client: Client, type: string): Promise<string | undefined> => {
    const { status, body, headers } = await client.get(`/${type}/1`, { accept })
    expect(status, type).to.equal(200)
    const { version } = body.data.meta ?? {}
    const tag = headers.get('etag') ?? ''
    if (version === undefined) expect(tag).to.match(/^"[\w+/]{22}"$/)
    else expect(tag.slice(1, -1).split('-')[0]).to.equal(version)
    return version
  }
  const rename = (client: Client, type: string, tag: string) =>
    client.patch(`/${type}/1`, { data: { type, id: '1', attributes: { name: 'Ada' } } }, { 'if-match': tag })

  before(async () => {
    database = await openTestDatabase({ entities: [Person, Listed], migrations: [] })
    await database.orm.schema.create()
  })
  beforeEach(async () => {
    await execute('delete from people')
    await execute("insert into people (id, name, pin) values (1, 'Ada', '4711')")
  })
  afterEach(async () => {
    for (const app of started.splice(0)) await app.close()
  })
  after(() => database.close())

  it('cannot be computed from the values of the row', async () => {
    const client = await start({ ETAG_SECRET: secret })
    const columns = ['1', '"Ada"', '"4711"']
    const texts = ['(1,Ada,4711)', JSON.stringify([columns, []]), JSON.stringify([['"1"', ...columns.slice(1)], []])]
    const known = texts.flatMap((text) => [hash('md5', text), hash('sha256', text, 'base64').slice(0, 22)])
    for (const type of types)
      expect(await versionOf(client, type), type)
        .to.be.a('string')
        .and.not.to.be.oneOf(known)
  })

  it('is the same in every process with the same secret, and another one with another secret', async () => {
    const [one, two, other] = [
      await start({ ETAG_SECRET: secret }),
      await start({ ETAG_SECRET: secret }),
      await start({ ETAG_SECRET: secret.toUpperCase() }),
    ]
    for (const type of types) {
      const version = await versionOf(one, type)
      expect(await versionOf(two, type), type).to.equal(version)
      expect(await versionOf(other, type), type).not.to.equal(version)
    }
  })

  it('is keyed by JWT_SECRET when ETAG_SECRET is not set', async () => {
    const [one, two, other] = [
      await start(jwt),
      await start(jwt),
      await start({ ...jwt, ETAG_SECRET: secret.toUpperCase() }),
    ]
    for (const type of types) {
      const version = await versionOf(one, type)
      expect(version, type).to.match(/^[\w+/]{22}$/)
      expect(await versionOf(two, type), type).to.equal(version)
      expect(await versionOf(other, type), type).not.to.equal(version)
    }
  })

  it('is stale after a write of a hidden column', async () => {
    const client = await start({ ETAG_SECRET: secret })
    for (const type of ['listed', 'read']) {
      const before = await versionOf(client, type)
      expect((await rename(client, type, `"${before}"`)).status, type).to.equal(200)
      await execute("update people set pin = pin || '1'")
      expect((await rename(client, type, `"${before}"`)).status, type).to.equal(412)
      expect((await rename(client, type, `"${await versionOf(client, type)}"`)).status, type).to.equal(200)
    }
  })

  it('is missing without a secret, and If-Match accepts nothing but *', async () => {
    const client = await start({})
    for (const type of types) {
      expect(await versionOf(client, type), type).to.equal(undefined)
      const tag = (await client.get(`/${type}/1`)).headers.get('etag') ?? ''
      expect((await client.get(`/${type}/1`, { 'if-none-match': tag })).status, type).to.equal(304)
      const refused = await rename(client, type, tag)
      expect(refused.status, type).to.equal(412)
      expect(refused.body.errors[0].detail).to.include('send If-Match: *')
      expect((await rename(client, type, '*')).status, type).to.equal(200)
    }
  })
})

/** Returns rows without the version that the store selects. */
const readingProvider: Provider = {
  ...storeProvider,
  async one(...args) {
    const row = await storeProvider.one(...args)
    return row && { ...row, [versionKey]: undefined }
  },
  async many(...args) {
    const rows = await storeProvider.many(...args)
    return rows.map((row) => ({ ...row, [versionKey]: undefined }))
  },
}

function declare(): readonly DeclaredResource[] {
  const resources = [
    defineResource(Listed, {
      type: 'listed',
      fields: ({ id, string }) => [id(), string('name'), string('pin').hidden()],
    }),
    defineResource(Person, {
      type: 'read',
      fields: ({ id, string }) => [id(), string('name'), string('pin').hidden()],
      provider: readingProvider,
    }),
    defineType<{ id: string; name: string; pin: string }>({
      type: 'remembered',
      operations: ['FetchCollection', 'FetchOne', 'Update'],
      fields: ({ id, string }) => [id(), string('name'), string('pin').hidden()],
      ...memoryStore([{ id: '1', name: 'Ada', pin: '4711' }]),
    }),
  ]
  return resources.map((resource) => ({ file: 'hidden-columns.test.ts', resource }))
}
