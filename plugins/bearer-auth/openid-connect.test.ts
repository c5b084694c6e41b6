import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { pluginVariables, readConfig } from '#app/config.ts'
import { plugins } from '#app/plugins.ts'
import { requireRole } from '#kernel/plugin'
import { as } from '#test/support/principals.ts'
import { startLibrary } from '#test/template/support/library/index.ts'
import { bearerAuth } from './index.ts'

// The steps of docs/openid-connect.md, with a provider in this process.

describe('Login with an OpenID Connect provider', () => {
  let provider: Server
  let issuer: string
  let sign: (claims: Record<string, unknown>, options?: { issuer?: string; audience?: string }) => Promise<string>
  before(async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256')
    const keys = [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }]
    provider = createServer(({ url }, response) => {
      const metadata = { issuer, jwks_uri: `${issuer}/certs` }
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify(url === '/certs' ? { keys } : metadata))
    }).listen(0, '127.0.0.1')
    await once(provider, 'listening')
    issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
    sign = (claims, options = {}) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: 'one' })
        .setSubject('ada')
        .setIssuer(options.issuer ?? issuer)
        .setAudience(options.audience ?? 'music-api')
        .setExpirationTime('1m')
        .sign(privateKey)
  })
  after(() => provider.close())

  async function start(list = plugins) {
    const response = await fetch(`${issuer}/.well-known/openid-configuration`)
    const metadata = (await response.json()) as { issuer: string; jwks_uri: string }
    const env = { JWT_ISSUER: metadata.issuer, JWT_JWKS_URL: metadata.jwks_uri, JWT_AUDIENCE: 'music-api' }
    const { variables } = readConfig(env, pluginVariables(list, env))
    return startLibrary({
      plugins: list,
      config: { variables },
      servers: { default: { middleware: [requireRole('librarian')] } },
    })
  }

  it('accepts access tokens with the variables that the metadata of the provider names, and no other token', async () => {
    const { client, close } = await start()
    const roles = ['librarian']
    expect((await client.get('/shelves', as(await sign({ roles })))).status).to.equal(200)
    expect((await client.get('/shelves', as(await sign({ roles: ['reader'] })))).status).to.equal(403)
    expect((await client.get('/shelves', as(await sign({ roles }, { audience: 'other' })))).status).to.equal(401)
    expect((await client.get('/shelves', as(await sign({ roles }, { issuer: `${issuer}/` })))).status).to.equal(401)
    expect((await client.get('/shelves', as('admin'))).status).to.equal(401)
    await close()
  })

  it('takes the roles from the claim that principalOf reads', async () => {
    const authentication = bearerAuth({
      principalOf: ({ sub, realm_access }) => ({
        identifier: String(sub),
        roles: (realm_access as { roles?: string[] } | undefined)?.roles ?? [],
      }),
    })
    const { client, close } = await start(
      plugins.map((plugin) => (plugin.name === authentication.name ? authentication : plugin)),
    )
    const token = await sign({ realm_access: { roles: ['librarian'] } })
    expect((await client.get('/shelves', as(token))).status).to.equal(200)
    expect((await client.get('/shelves', as(await sign({ roles: ['librarian'] })))).status).to.equal(403)
    await close()
  })
})
