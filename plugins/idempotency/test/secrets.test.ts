import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { loadMigrations } from '#discovery'
import { defineResource, type ResourceDeclaration } from '#kernel'
import { meta } from '#plugins/actions/index.ts'
import { ApiKey } from '#plugins/api-keys/resources/api-keys/entity.ts'
import declared from '#plugins/api-keys/resources/api-keys/resource.ts'
import { type Database, migrate } from '#store'
import { startApp, type TestApp } from '#test/support/app.ts'
import { add, atomicHeaders, update } from '#test/support/batch.ts'
import { openTestDatabase } from '#test/support/database.ts'
import { as } from '#test/support/principals.ts'
import { keyed } from '#test/template/support/idempotency-keys.ts'

const path = '/admin/api-keys'
const attributes = { name: 'Importer', scopes: ['user'] }
const document = { data: { type: 'api-keys', attributes } }
const secret = 'a-token-that-is-shown-once'

const actions: ResourceDeclaration<ApiKey>['actions'] = ({ action }) => [
  action('rotate', { answers: 'meta', showsSecret: true, ability: 'update', handle: () => meta({ secret }) }),
  action('inspect', {
    answers: 'meta',
    ability: 'update',
    handle: ({ subject }) => meta({ name: subject.name }),
  }),
]

describe('Idempotency-Key of a write whose response shows a secret once', () => {
  let database: Database
  let app: TestApp
  before(async () => {
    const migrations = await loadMigrations({ root: '', folders: [] }, plugins)
    database = await openTestDatabase({ entities: [ApiKey], migrations })
    await migrate(database)
    app = await start({ actions })
  })
  afterEach(async () => {
    await rows('delete from api_keys')
    await rows('delete from idempotency_keys')
  })
  after(async () => {
    await app.close()
    await database.close()
  })

  function start(declaration: Partial<ResourceDeclaration<ApiKey>>): Promise<TestApp> {
    const shipped: object = declared.declaration
    const resource = defineResource(ApiKey, { ...(shipped as ResourceDeclaration<ApiKey>), ...declaration })
    const resources = [{ file: 'api-keys.ts', resource }]
    return startApp({ resources, database, onWrite: () => {} })
  }

  function rows(sql: string): Promise<Record<string, unknown>[]> {
    return database.orm.em.getConnection().execute(sql)
  }

  async function createKey(): Promise<string> {
    return (await app.client.post(path, document, as('admin'))).body.data.id
  }

  const refused = {
    status: '400',
    code: 'IDEMPOTENCY_KEY_NOT_ACCEPTED',
    title: 'Idempotency key is not accepted',
    detail:
      "The response to this write of 'api-keys' shows a secret once, and is not stored with a key. Send the write in a request without Idempotency-Key.",
    source: { header: 'Idempotency-Key' },
  }

  it('returns 400 for the create of an API key, which is neither created nor stored', async () => {
    const { status, body } = await app.client.post(path, document, { ...as('admin'), ...keyed() })
    expect(status).to.equal(400)
    expect(body.errors[0]).to.deep.include(refused)
    expect(await rows('select 1 from api_keys')).to.deep.equal([])
    expect(await rows('select 1 from idempotency_keys')).to.deep.equal([])
  })

  it('returns 400 for a batch that creates an API key beside other operations', async () => {
    const id = await createKey()
    const operations = [update({ type: 'api-keys', id }, { name: 'Renamed' }), add('api-keys', attributes)]
    const headers = { ...as('admin'), ...atomicHeaders, ...keyed() }
    const { status, body } = await app.client.post('/admin/operations', { 'atomic:operations': operations }, headers)
    expect(status).to.equal(400)
    expect(body.errors[0]).to.deep.include(refused)
    expect(await rows('select name from api_keys')).to.deep.equal([{ name: 'Importer' }])
    expect(await rows('select 1 from idempotency_keys')).to.deep.equal([])
  })

  it('returns 400 for an action with showsSecret', async () => {
    const url = `${path}/${await createKey()}/-actions/rotate`
    const { status, body } = await app.client.send('POST', url, { headers: { ...as('admin'), ...keyed() } })
    expect(status).to.equal(400)
    expect(body.errors[0]).to.deep.include(refused)
    expect((await app.client.send('POST', url, { headers: as('admin') })).body.meta).to.deep.equal({ secret })
  })

  it('is accepted by other writes of the type, whose stored responses have no key', async () => {
    const { body } = await app.client.post(path, document, as('admin'))
    const { id, meta: shown } = body.data
    const data = { type: 'api-keys', id, attributes: { name: 'Renamed' } }
    const headers = () => ({ ...as('admin'), ...keyed() })
    expect((await app.client.patch(`${path}/${id}`, { data }, headers())).status).to.equal(200)
    expect((await app.client.send('POST', `${path}/${id}/-actions/inspect`, { headers: headers() })).status).to.equal(
      200,
    )
    const operations = { 'atomic:operations': [update({ type: 'api-keys', id }, { name: 'Batch' })] }
    const batch = await app.client.post('/admin/operations', operations, { ...atomicHeaders, ...headers() })
    expect(batch.status).to.equal(200)
    const stored = await rows('select * from idempotency_keys')
    expect(stored).to.have.length(3)
    expect(JSON.stringify(stored)).not.to.include(shown.key)
  })

  it('is not a parameter of these operations in the OpenAPI document', async () => {
    const { paths } = JSON.parse((await app.client.get('/admin/docs.json', as('admin'))).text)
    const takesKey = ({ parameters = [] }: { parameters?: readonly object[] }) =>
      JSON.stringify(parameters).includes('IdempotencyKey')
    expect(takesKey(paths['/api-keys'].post)).to.equal(false)
    expect(takesKey(paths['/api-keys/{id}/-actions/rotate'].post)).to.equal(false)
    expect(takesKey(paths['/api-keys/{id}/-actions/inspect'].post)).to.equal(true)
    expect(takesKey(paths['/api-keys/{id}'].patch)).to.equal(true)
    expect(takesKey(paths['/operations'].post)).to.equal(true)
    for (const described of [paths['/api-keys'].post, paths['/operations'].post]) {
      expect(JSON.stringify(described.responses[400])).to.include('IDEMPOTENCY_KEY_NOT_ACCEPTED')
    }
    expect(JSON.stringify(paths['/api-keys'].post)).not.to.include('Idempotency-Replayed')
  })

  it('prevents the start if the type requires a key, with a fault for each write', async () => {
    const error = await start({ actions, requireIdempotencyKey: true }).catch((error: Error) => error)
    const fault = (write: string) =>
      `api-keys.requireIdempotencyKey (api-keys.ts): The response of ${write} shows a secret once and is not stored with a key, so that it would be refused with and without a key.`
    expect((error as Error).message.split('\n').map((line) => line.replace(/^\W+/, ''))).to.include.members([
      fault('Create'),
      fault('the action rotate'),
    ])
    expect((error as Error).message).not.to.include('inspect')
  })

  it('does not prevent the start if the type requires a key and offers no create', async () => {
    const started = await start({ requireIdempotencyKey: true, operations: ['FetchOne', 'Update', 'Delete'] })
    await started.close()
  })
})
