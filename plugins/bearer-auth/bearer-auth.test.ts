import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { base64url, exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { type Config, type ConfigError, pluginVariables, readConfig } from '#app/config.ts'
import { plugins } from '#app/plugins.ts'
import { servers } from '#app/servers.ts'
import type { Principal } from '#kernel'
import { startApp, type TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { as } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { withDependents } from '#test/template/support/plugins.ts'
import { bearerAuth } from './index.ts'

const morning = '/playlists/00000000-0000-4000-8000-000000000001'
const owner = `/admin${morning}/owner`
const secret = 'a secret of more than thirty-two characters'

describe('bearer-auth', () => {
  describe('with development tokens', () => {
    let client: Client
    before(async () => {
      client = (await catalogue()).client
    })

    it('authenticates by the token, and treats a request without the header as anonymous', async () => {
      expect((await client.get(owner)).status).to.equal(401)
      expect((await client.get(owner, as('ada@example.com'))).status).to.equal(403)
      expect((await client.get(owner, as('admin'))).status).to.equal(200)
      expect((await client.get(owner, { authorization: 'bearer admin' })).status).to.equal(200)
    })

    for (const [credentials, authorization] of Object.entries({
      'an unknown token': 'Bearer unknown@example.com',
      'the name of a property of Object.prototype': 'Bearer constructor',
      'a token of 8 kB': `Bearer ${'a'.repeat(8192)}`,
      'two tokens in one header': 'Bearer admin admin',
    })) {
      it(`returns 401 without an SQL statement for ${credentials}`, async () => {
        await expectUnauthorizedEverywhere(client, authorization, 'Bearer error="invalid_token"')
      })
    }

    for (const [credentials, authorization] of Object.entries({
      'another scheme': 'Basic YWRhOmFkYQ==',
      'a scheme without a token': 'Bearer',
      'a token without a scheme': 'admin',
    })) {
      it(`returns 401 without an SQL statement for ${credentials}`, async () => {
        await expectUnauthorizedEverywhere(client, authorization, 'Bearer')
      })
    }

    it('returns 401 for two Authorization headers, even with the same token', async () => {
      const { status, headers } = await getRaw(client, '/albums', ['Authorization', 'Bearer admin'])
      expect(status).to.equal(200)
      expect(headers.vary).to.match(/\bAuthorization\b/)
      const twice = ['Authorization', 'Bearer admin', 'authorization', 'Bearer admin']
      expect((await getRaw(client, '/albums', twice)).status).to.equal(401)
    })

    it('returns 404 for an unknown path, and 401 before any other error, with an invalid token', async () => {
      const bad = as('unknown@example.com')
      expect((await client.get('/nowhere', bad)).status).to.equal(404)
      expect((await client.get('/albums/4711', { ...bad, accept: 'text/html' })).status).to.equal(401)
      expect((await client.post('/albums', '{', bad)).status).to.equal(401)
      expect((await client.send('PUT', '/albums', { headers: bad })).status).to.equal(401)
      expect((await client.get('/albums?nope=1', bad)).status).to.equal(401)
    })

    it('adds Vary: Authorization to responses, except to public ones', async () => {
      for (const path of ['/albums', '/albums/4711', '/countries', '/albums?nope=1']) {
        expect((await client.get(path)).headers.get('vary'), path).to.match(/\bAuthorization\b/)
      }
      const { headers } = await client.get('/genres')
      expect(headers.get('cache-control')).to.include('public')
      expect(headers.get('vary')).to.equal('Accept-Encoding, Accept')
    })
  })

  describe('with a shared secret', () => {
    let app: TestApp
    before(async () => {
      app = await startApp({ config: variables({ JWT_SECRET: secret }) })
    })
    after(() => app.close())

    it('reads the identifier from sub and the roles from roles', async () => {
      const token = async (claims: Claims) => as(await signed(claims))
      expect((await app.client.get(owner, await token({ sub: 'eve', roles: ['admin'] }))).status).to.equal(200)
      expect((await app.client.get(owner, await token({ sub: 'eve', roles: 'admin' }))).status).to.equal(403)
      expect((await app.client.get(owner, await token({ sub: 'eve' }))).status).to.equal(403)
      const { status } = await app.client.patch(morning, retitled, await token({ sub: 'ada@example.com' }))
      expect(status).to.equal(200)
    })

    it('accepts exp and nbf within the clock tolerance', async () => {
      for (const times of [{ exp: now() - 2 }, { nbf: now() + 2 }]) {
        expect((await app.client.get('/albums', as(await signed(times)))).status).to.equal(200)
      }
    })

    it('names the reason of an invalid token in debug mode only', async () => {
      const token = as(await signed({ iss: 'https://elsewhere.example' }))
      const { client, close } = await startApp({ config: { ...variables({ JWT_SECRET: secret }), debug: true } })
      const { body, headers } = await client.get('/albums', token)
      await close()
      expect(body.errors[0].detail).to.equal('The token is not valid. unexpected "iss" claim value')
      expect(headers.get('www-authenticate')).not.to.include('claim')
      expect((await app.client.get('/albums', token)).body.errors[0].detail).to.equal('')
    })

    const invalidTokens: Readonly<Record<string, () => Promise<string> | string>> = {
      'an expired token': () => signed({ exp: now() - 60 }),
      'a token that is not valid yet': () => signed({ nbf: now() + 60 }),
      'a token that never expires': () => signed({ exp: undefined }),
      'a token of another issuer': () => signed({ iss: 'https://elsewhere.example' }),
      'a token without an issuer': () => signed({ iss: undefined }),
      'a token for another audience': () => signed({ aud: 'another-api' }),
      'a token without an audience': () => signed({ aud: undefined }),
      'a token without sub': () => signed({ sub: undefined }),
      'a token whose sub is a number': () => signed({ sub: 1 }),
      'a token whose sub is empty': () => signed({ sub: '' }),
      'a token without a signature': () => new UnsecuredJWT(claims({})).encode(),
      'a token signed with another secret': () => signed({}, { key: `${secret}!` }),
      'a token signed with an algorithm that is not accepted': () => signed({}, { alg: 'HS512' }),
      'a token whose claims were changed': async () => forged(await signed({})),
      'a development token': () => 'admin',
      garbage: () => 'not.a.token',
      'a token of 8 kB': () => signed({ padding: 'a'.repeat(6_000) }, { key: `${secret}!` }),
      'garbage of 8 kB': () => 'a'.repeat(8_192),
    }
    for (const [name, token] of Object.entries(invalidTokens)) {
      it(`returns 401 without an SQL statement for ${name}`, async () => {
        await expectUnauthorizedEverywhere(app.client, `Bearer ${await token()}`, 'Bearer error="invalid_token"')
      })
    }

    it('returns the reason in the challenge, and not in the document, outside debug mode', async () => {
      const expired = as(await signed({ exp: now() - 60 }))
      const { headers, body } = await app.client.get('/albums', expired)
      expect(headers.get('www-authenticate')).to.equal(
        'Bearer error="invalid_token", error_description="The token has expired."',
      )
      expect(body.errors).to.deep.equal([{ status: '401', title: 'Unauthorized', detail: '' }])
    })
  })

  describe('with a JWKS URL', () => {
    let issuer: Issuer
    let app: TestApp
    before(async () => {
      issuer = await startIssuer()
    })
    beforeEach(async () => {
      issuer.answer = 'keys'
      issuer.requests = 0
      app = await startApp({ config: variables({ JWT_JWKS_URL: issuer.url }) })
    })
    afterEach(() => app.close())
    after(() => issuer.server.close())

    it('fetches the keys once, with the first signed token', async () => {
      expect((await app.client.get('/albums')).status).to.equal(200)
      expect((await app.client.get('/albums', as(new UnsecuredJWT(claims({})).encode()))).status).to.equal(401)
      expect(issuer.requests).to.equal(0)
      for (let time = 0; time < 3; time++) {
        const { status } = await app.client.get(owner, as(await issuer.sign({ roles: ['admin'] })))
        expect(status).to.equal(200)
      }
      expect(issuer.requests).to.equal(1)
    })

    it('accepts a token without kid that is signed with any key of the set', async () => {
      expect((await app.client.get('/albums', as(await issuer.sign({}, { kid: undefined })))).status).to.equal(200)
      const stranger = await issuer.sign({}, { kid: undefined, stranger: true })
      expect((await app.client.get('/albums', as(stranger))).status).to.equal(401)
    })

    it('returns 401 for a kid that is not in the set, and for a public key used as a shared secret', async () => {
      const unknown = await issuer.sign({}, { kid: 'other' })
      expect((await app.client.get('/albums', as(unknown))).status).to.equal(401)
      const confused = await signed({}, { key: issuer.publicKey })
      expect((await app.client.get('/albums', as(confused))).status).to.equal(401)
    })

    for (const answer of ['500', 'HTML', 'no keys', 'a closed connection'] as const) {
      it(`returns 503 with Retry-After when the issuer answers with ${answer}`, async () => {
        issuer.answer = answer
        const { status, headers, body } = await app.client.get('/albums', as(await issuer.sign({})))
        expect(status).to.equal(503)
        expect(headers.get('retry-after')).to.equal('5')
        expect(body.errors).to.deep.equal([{ status: '503', title: 'Server Error', detail: '' }])
        expect((await app.client.get('/albums')).status).to.equal(200)
        issuer.answer = 'keys'
        expect((await app.client.get('/albums', as(await issuer.sign({})))).status).to.equal(200)
      })
    }
  })

  it('takes the principal from the option principalOf', async () => {
    const principalOf = ({ email, groups }: JWTPayload): Principal => ({
      identifier: String(email),
      roles: groups as string[],
    })
    const list = plugins.map((plugin) => (plugin.name === 'bearer-auth' ? bearerAuth({ principalOf }) : plugin))
    const app = await startApp({ plugins: list, config: variables({ JWT_SECRET: secret }) })
    const token = await signed({ sub: '4711', email: 'eve@example.com', groups: ['admin'] })
    expect((await app.client.get(owner, as(token))).status).to.equal(200)
    await app.close()
  })

  describe('configuration', () => {
    const faultsOf = (env: Record<string, string>): readonly string[] => {
      try {
        buildConfig(env)
      } catch (error) {
        return (error as ConfigError).faults
      }
      return []
    }

    const noKey =
      'JWT_JWKS_URL or JWT_SECRET must be set: the development tokens of app/plugins.ts are accepted only if NODE_ENV is development or test, or if NODE_ENV is unset and HOST is a loopback address.'

    for (const [env, faults] of [
      [{}, []],
      [{ HOST: '127.0.0.2' }, []],
      [{ HOST: 'localhost' }, []],
      [{ HOST: '::1' }, []],
      [{ HOST: '0.0.0.0' }, [noKey]],
      [{ HOST: '::' }, [noKey]],
      [{ HOST: '10.0.0.5' }, [noKey]],
      [{ HOST: 'localhost.example.com' }, [noKey]],
      [{ HOST: '0.0.0.0', NODE_ENV: '' }, [noKey]],
      [{ HOST: '0.0.0.0', NODE_ENV: 'development' }, []],
      [{ HOST: '0.0.0.0', NODE_ENV: 'test' }, []],
      [{ HOST: '0.0.0.0', ...jwt({ JWT_SECRET: secret }) }, []],
      [{ HOST: '0.0.0.0', DISABLED_PLUGINS: 'bearer-auth' }, []],
      [{ HOST: '127.0.0.1', NODE_ENV: 'production' }, [noKey]],
    ] as const) {
      it(`is ${faults.length ? 'rejected' : 'accepted'} with ${JSON.stringify(env)}`, () => {
        expect(faultsOf(env)).to.deep.equal(faults)
      })
    }

    for (const [url, env, isRejected] of [
      ['https://issuer.example/keys', { NODE_ENV: 'production' }, false],
      ['http://issuer.example/keys', { NODE_ENV: 'production' }, true],
      ['http://issuer.example/keys', {}, true],
      ['http://127.0.0.1.issuer.example/keys', {}, true],
      ['http://127.0.0.1:8080/keys', { NODE_ENV: 'production' }, true],
      ['http://127.0.0.1:8080/keys', {}, false],
      ['http://[::1]:8080/keys', { NODE_ENV: 'development' }, false],
      ['http://localhost/keys', { NODE_ENV: 'test' }, false],
    ] as const) {
      it(`is ${isRejected ? 'rejected' : 'accepted'} with the JWKS URL ${url} and ${JSON.stringify(env)}`, () => {
        const message =
          'JWT_JWKS_URL must begin with https://; http:// is accepted only for loopback hosts outside production.'
        expect(faultsOf({ ...env, ...jwt({ JWT_JWKS_URL: url }) })).to.deep.equal(isRejected ? [message] : [])
      })
    }

    it('is rejected in production without a key while the plugin is enabled', () => {
      expect(faultsOf({ NODE_ENV: 'production' })).to.deep.equal([noKey])
      expect(faultsOf({ NODE_ENV: 'production', ...jwt({ JWT_SECRET: secret }) })).to.deep.equal([])
      expect(faultsOf({ NODE_ENV: 'production', DISABLED_PLUGINS: 'bearer-auth' })).to.deep.equal([])
    })

    it('is rejected with a key but without issuer and audience', () => {
      expect(faultsOf({ JWT_SECRET: secret })).to.deep.equal([
        'JWT_ISSUER must be set when JWT_JWKS_URL or JWT_SECRET is set.',
        'JWT_AUDIENCE must be set when JWT_JWKS_URL or JWT_SECRET is set.',
      ])
    })

    it('is rejected with two keys, a short secret, or algorithms of the other key family', () => {
      const JWT_JWKS_URL = 'https://issuer.example/keys'
      expect(faultsOf({ ...jwt({ JWT_SECRET: secret, JWT_JWKS_URL }) })).to.deep.equal([
        'JWT_SECRET and JWT_JWKS_URL are both set; keep one of them.',
      ])
      expect(faultsOf(jwt({ JWT_SECRET: 'short' }))).to.deep.equal([
        'JWT_SECRET length must be at least 32 characters long.',
      ])
      expect(faultsOf({ ...jwt({ JWT_JWKS_URL }), JWT_ALGORITHMS: 'RS256,HS256' })[0]).to.match(/^JWT_ALGORITHMS may/)
      expect(faultsOf({ ...jwt({ JWT_SECRET: secret }), JWT_ALGORITHMS: 'none' })[0]).to.match(/^JWT_ALGORITHMS may/)
    })
  })

  describe('with the server admin', () => {
    const start = (env: Record<string, string>, disabled: readonly string[] = []) =>
      startApp({ servers: servers(buildConfig(env)), disabled })

    it('returns 401 or 403 without the role admin when ADMIN_REQUIRES_ROLE is true', async () => {
      const { client, close } = await start({ ADMIN_REQUIRES_ROLE: 'true' })
      const anonymous = await client.get('/admin/users/1')
      expect(anonymous.status).to.equal(401)
      expect(anonymous.headers.get('www-authenticate')).to.equal('Bearer')
      expect((await client.get('/admin/users/1', as('ada@example.com'))).status).to.equal(403)
      expect((await client.get('/admin/users/1', as('admin'))).status).to.equal(200)
      expect((await client.get('/albums/1')).status).to.equal(200)
      await close()
    })

    it('requires the role by default in production only', () => {
      const production = { NODE_ENV: 'production', ...jwt({ JWT_SECRET: secret }) }
      expect(buildConfig({}).adminRequiresRole).to.equal(false)
      expect(buildConfig(production).adminRequiresRole).to.equal(true)
      expect(buildConfig({ ...production, ADMIN_REQUIRES_ROLE: 'false' }).adminRequiresRole).to.equal(false)
    })

    for (const [env, isRequired] of [
      [{ HOST: '0.0.0.0' }, true],
      [{ HOST: '0.0.0.0', NODE_ENV: 'development' }, false],
      [{ HOST: '0.0.0.0', NODE_ENV: 'test' }, false],
      [{ HOST: '127.0.0.1' }, false],
      [{ HOST: '127.0.0.1', NODE_ENV: 'production' }, true],
    ] as const) {
      it(`${isRequired ? 'requires' : 'does not require'} the role by default with ${JSON.stringify(env)}`, () => {
        expect(buildConfig({ ...env, ...jwt({ JWT_SECRET: secret }) }).adminRequiresRole).to.equal(isRequired)
      })
    }

    it('returns 401 when the plugin is disabled, because every caller is anonymous', async () => {
      const { client, close } = await start({ ADMIN_REQUIRES_ROLE: 'true' }, withDependents('bearer-auth'))
      expect((await client.get('/admin/users/1', as('admin'))).status).to.equal(401)
      expect((await client.patch(morning, retitled, as('ada@example.com'))).status).to.equal(401)
      const answer = await client.get('/countries', as('anything'))
      expect(answer.status).to.equal(200)
      expect(answer.headers.get('vary')).to.equal('Accept-Encoding, Accept')
      await close()
    })
  })
})

const retitled = {
  data: { type: 'playlists', id: '00000000-0000-4000-8000-000000000001', attributes: { title: 'Noon Mix' } },
}

/** Expects the same 401 on every kind of endpoint, and no SQL statement. */
async function expectUnauthorizedEverywhere(client: Client, authorization: string, challenge: string): Promise<void> {
  const headers = { authorization }
  const batch = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'
  const statements = await statementsOf(async () => {
    for (const answer of [
      await client.get('/albums', headers),
      await client.get('/admin/users/1', headers),
      await client.get('/artists/1/albums', headers),
      await client.patch(morning, retitled, headers),
      await client.delete('/genres/none', undefined, headers),
      await client.post(
        '/operations',
        { 'atomic:operations': [] },
        { ...headers, accept: batch, 'content-type': batch },
      ),
    ]) {
      expectUnauthorized(answer, challenge)
    }
  })
  expect(statements).to.deep.equal([])
}

function expectUnauthorized({ status, headers, body }: ClientResponse, challenge: string): void {
  expect(status).to.equal(401)
  expect(headers.get('www-authenticate')?.replace(/, error_description=.*/, '')).to.equal(challenge)
  expect(body.errors).to.deep.equal([{ status: '401', title: 'Unauthorized', detail: '' }])
}

/** Sends raw headers, including repeated ones. */
function getRaw(
  { url }: Client,
  path: string,
  headers: string[],
): Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]> }> {
  return new Promise((resolve, reject) => {
    const host = ['Host', new URL(url).host]
    const sent = httpRequest(url + path, { headers: [...host, ...headers], agent: false }, (response) => {
      response.resume()
      response.once('end', () => resolve({ status: response.statusCode, headers: response.headers }))
    })
    sent.once('error', reject).end()
  })
}

type Claims = Readonly<Record<string, unknown>>

const now = () => Math.floor(Date.now() / 1000)

/** Returns valid claims with overrides. */
function claims(overrides: Claims): JWTPayload {
  const valid = { iss: 'https://issuer.example', aud: 'music', sub: 'eve', exp: now() + 60 }
  return JSON.parse(JSON.stringify({ ...valid, ...overrides }))
}

function signed(overrides: Claims, { key = secret, alg = 'HS256' } = {}): Promise<string> {
  return new SignJWT(claims(overrides)).setProtectedHeader({ alg }).sign(new TextEncoder().encode(key))
}

function forged(token: string): string {
  const [header, , signature] = token.split('.')
  return [header, base64url.encode(JSON.stringify(claims({ roles: ['admin'] }))), signature].join('.')
}

function jwt(keys: Record<string, string>): Record<string, string> {
  return { ...keys, JWT_ISSUER: 'https://issuer.example', JWT_AUDIENCE: 'music, music-admin' }
}

function buildConfig(env: Record<string, string>): Config {
  return readConfig(env, pluginVariables(plugins, env))
}

function variables(keys: Record<string, string>): Pick<Config, 'variables'> {
  return { variables: buildConfig(jwt(keys)).variables }
}

interface Issuer {
  readonly server: Server
  readonly url: string
  readonly publicKey: string
  answer: 'keys' | '500' | 'HTML' | 'no keys' | 'a closed connection'
  requests: number
  sign(overrides: Claims, options?: { kid?: string | undefined; stranger?: boolean }): Promise<string>
}

/** Serves a key set of two keys, and signs with the second. */
async function startIssuer(): Promise<Issuer> {
  const [first, second, stranger] = await Promise.all(
    [0, 1, 2].map(() => generateKeyPair('ES256', { extractable: true })),
  )
  if (!first || !second || !stranger) throw new Error('no keys')
  const keys = [
    { ...(await exportJWK(first.publicKey)), kid: 'first', alg: 'ES256' },
    { ...(await exportJWK(second.publicKey)), kid: 'second', alg: 'ES256' },
  ]
  const server = createServer((_, response) => {
    issuer.requests++
    if (issuer.answer === 'a closed connection') return response.destroy()
    response.statusCode = issuer.answer === '500' ? 500 : 200
    response.end({ keys: JSON.stringify({ keys }), '500': '{}', HTML: '<html>', 'no keys': '{}' }[issuer.answer])
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const issuer: Issuer = {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    publicKey: JSON.stringify(keys[1]),
    answer: 'keys',
    requests: 0,
    sign: (overrides, { kid, stranger: byStranger = false } = { kid: 'second' }) =>
      new SignJWT(claims(overrides))
        .setProtectedHeader({ alg: 'ES256', ...(kid !== undefined && { kid }) })
        .sign((byStranger ? stranger : second).privateKey),
  }
  return issuer
}
