import { expect } from 'chai'
import { SignJWT } from 'jose'
import { pluginVariables, readConfig } from '#app/config.ts'
import { plugins } from '#app/plugins.ts'
import { declaredResources } from '#app/resources.ts'
import { discover, loadMigrations } from '#discovery'
import { type Database, migrate } from '#store'
import { root, startApp, type TestApp, type TestAppOptions } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/database.ts'
import { as } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { ApiKey } from './resources/api-keys/entity.ts'

const path = '/admin/api-keys'

describe('API keys', () => {
  let database: Database
  let app: TestApp
  before(async () => {
    const migrations = await loadMigrations({ root: '', folders: [] }, plugins)
    database = await openTestDatabase({ entities: [ApiKey], migrations })
    await migrate(database)
    app = await start()
  })
  after(async () => {
    await app.close()
    await database.close()
  })

  async function start(options: TestAppOptions = {}): Promise<TestApp> {
    const resources = await declaredResources(await discover(root, ['plugins/api-keys/resources']))
    return startApp({ resources, database, onWrite: () => {}, ...options })
  }

  const documentOf = (attributes: object) => ({ data: { type: 'api-keys', attributes } })

  async function create(attributes: object = {}): Promise<{ id: string; key: string }> {
    const given = { name: 'Importer', scopes: ['admin'], ...attributes }
    const { status, body } = await app.client.post(path, documentOf(given), as('admin'))
    expect(status).to.equal(201)
    return { id: body.data.id, key: body.data.meta.key }
  }

  async function requestStatus(key: string, { client }: TestApp = app): Promise<number> {
    return (await client.get(path, as(key))).status
  }

  it('shows the key once, in the response of its creation, and stores its hash', async () => {
    const { id, key } = await create()
    expect(key).to.match(/^key_[\w-]{43}$/)
    const { body, text } = await app.client.get(`${path}/${id}`, as('admin'))
    expect(body.data.attributes).to.include({ name: 'Importer', start: key.slice(0, 12), lastUsedAt: null })
    const [row] = await database.orm.em.fork().execute(`select * from api_keys where id = '${id}'`)
    expect(text).not.to.include(key.slice(12)).and.not.to.include(row?.hash)
    expect(JSON.stringify(row)).not.to.include(key.slice(12))
  })

  it('prevents the start when the plugin is disabled', async () => {
    const error = await start({ disabled: ['api-keys'] }).catch((error: Error) => error)
    expect(error)
      .to.have.property('message')
      .that.includes(
        "api-keys.issuesApiKeys (plugins/api-keys/resources/api-keys/resource.ts): needs the plugin 'api-keys'",
      )
  })

  it('authenticates with the roles of its scopes, by one statement', async () => {
    const { id, key } = await create()
    const { key: weaker } = await create({ scopes: ['user'] })
    expect(await requestStatus(key)).to.equal(200)
    expect(await requestStatus(weaker)).to.equal(403)
    const statements = await statementsOf(() => requestStatus(weaker))
    expect(statements).to.have.length(1)
    const { body } = await app.client.get(`${path}/${id}`, as('admin'))
    expect(body.data.attributes.lastUsedAt).to.be.a('string')
  })

  it('returns 401 at once after the key is deleted, also in another process', async () => {
    const other = await start()
    const { id, key } = await create()
    expect(await requestStatus(key, other)).to.equal(200)
    expect((await app.client.delete(`${path}/${id}`, undefined, as('admin'))).status).to.equal(204)
    expect(await requestStatus(key)).to.equal(401)
    expect(await requestStatus(key, other)).to.equal(401)
    await other.close()
  })

  it('returns 401 after the key expires', async () => {
    const { id, key } = await create({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() })
    expect(await requestStatus(key)).to.equal(200)
    await database.orm.em.fork().execute(`update api_keys set expires_at = now() where id = '${id}'`)
    const { status, headers } = await app.client.get(path, as(key))
    expect(status).to.equal(401)
    expect(headers.get('www-authenticate')).to.equal(
      'Bearer error="invalid_token", error_description="The API key is unknown, expired or revoked."',
    )
  })

  it('returns 401 for an unknown key, and without an SQL statement for a malformed one', async () => {
    expect(await requestStatus(`key_${'a'.repeat(43)}`)).to.equal(401)
    const statements = await statementsOf(async () => {
      for (const key of [
        'key_',
        'key_short',
        `key_${'a'.repeat(8000)}`,
        `key_${'ä'.repeat(43)}`.replaceAll('ä', '%'),
      ]) {
        expect(await requestStatus(key), key.slice(0, 20)).to.equal(401)
      }
    })
    expect(statements).to.deep.equal([])
  })

  it('returns 422 with the accepted scopes for an unknown scope, in a create and in an update', async () => {
    const { id } = await create()
    const data = { type: 'api-keys', id, attributes: { scopes: ['admin', 'constructor'] } }
    const updated = await app.client.patch(`${path}/${id}`, { data }, as('admin'))
    expect(updated.body.errors[0]).to.include({ status: '422', code: 'API_KEY_SCOPE_UNKNOWN' })
    expect(updated.body.errors[0].source).to.deep.equal({ pointer: '/data/attributes/scopes' })
    const created = await app.client.post(path, documentOf({ name: 'x', scopes: ['usr'] }), as('admin'))
    expect(created.status).to.equal(422)
    expect(created.body.errors[0].detail).to.equal("Unknown: usr. Scopes: admin, user. Did you mean 'user'?")
    expect(created.body.errors[0].source).to.deep.equal({ pointer: '/data/attributes/scopes' })
  })

  it('are managed by the role admin only', async () => {
    for (const [headers, status] of [
      [{}, 401],
      [as('ada@example.com'), 403],
    ] as const) {
      expect((await app.client.get(path, headers)).status).to.equal(status)
      const document = documentOf({ name: 'x', scopes: ['admin'] })
      expect((await app.client.post(path, document, headers)).status).to.equal(status)
    }
  })

  it('are accepted beside JWTs, whose subject cannot be that of a key', async () => {
    const secret = 'a secret of more than thirty-two characters'
    const env = { NODE_ENV: 'test', JWT_SECRET: secret, JWT_ISSUER: 'https://issuer.example', JWT_AUDIENCE: 'api' }
    const { variables } = readConfig(env, pluginVariables(plugins, env))
    const { id, key } = await create()
    const other = await start({ config: { variables } })
    const tokenOf = (subject: string) =>
      new SignJWT({ roles: ['admin'] })
        .setProtectedHeader({ alg: 'HS256' })
        .setSubject(subject)
        .setIssuer(env.JWT_ISSUER)
        .setAudience(env.JWT_AUDIENCE)
        .setExpirationTime('1m')
        .sign(new TextEncoder().encode(secret))
    expect(await requestStatus(await tokenOf('ada'), other)).to.equal(200)
    expect(await requestStatus(await tokenOf('my-api-key:1'), other)).to.equal(200)
    const taken = await other.client.get(path, as(await tokenOf(`api-key:${id}`)))
    expect([taken.status, taken.headers.get('www-authenticate')]).to.deep.equal([
      401,
      'Bearer error="invalid_token", error_description="The subject of the token is reserved for tokens of another kind."',
    ])
    expect(await requestStatus(key, other)).to.equal(200)
    expect(await requestStatus('admin', other)).to.equal(401)
    await other.close()
  })

  it('return 401 while the plugin is disabled', async () => {
    const { key } = await create()
    const resources = [] as const
    const without = await startApp({ resources, database, disabled: ['api-keys'], onWrite: () => {} })
    expect((await without.client.get('/admin', as(key))).status).to.equal(401)
    await without.close()
  })

  it('return 503 with Retry-After while the database is unreachable', async () => {
    const { key } = await create()
    const other = await start()
    Object.assign(other.app.store, { query: () => Promise.reject(new Error('password s3cret is wrong')) })
    const { status, headers, text } = await other.client.get(path, as(key))
    expect([status, headers.get('retry-after')]).to.deep.equal([503, '5'])
    expect(text).not.to.include('s3cret')
    await other.close()
  })
})
