import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { startApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { securityHeaders } from './index.ts'

describe('The plugin security-headers', () => {
  it('sets security headers on every response, including errors', async () => {
    const { client } = await catalogue()
    for (const path of ['/albums', '/albums/4711', '/nowhere', '/errors', '/docs.json']) {
      const { headers } = await client.get(path)
      expect(headers.get('x-content-type-options'), path).to.equal('nosniff')
      expect(headers.get('strict-transport-security'), path).to.match(/^max-age=\d{8}/)
      expect(headers.get('referrer-policy'), path).to.equal('no-referrer')
      expect(headers.get('x-frame-options'), path).to.equal('SAMEORIGIN')
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy, path)
        .to.match(path === '/errors' ? /default-src 'none'/ : /default-src 'self'/)
        .and.to.match(/frame-ancestors 'none'/)
      expect(policy, path).not.to.match(/unsafe-eval|upgrade-insecure-requests/)
    }
  })

  it('evaluates a directive that is a function of the request', async () => {
    const nonce = (req: IncomingMessage) => `'nonce-${req.headers['x-nonce']}'`
    const directives = { 'default-src': ["'self'"], 'script-src': [nonce] }
    const replaced = securityHeaders({ contentSecurityPolicy: { useDefaults: false, directives } })
    const { client, close } = await startApp({
      plugins: plugins.map((plugin) => (plugin.name === replaced.name ? replaced : plugin)),
    })
    const { headers } = await client.get('/albums', { 'x-nonce': 'abc' })
    expect(headers.get('content-security-policy')).to.equal("default-src 'self';script-src 'nonce-abc'")
    await close()
  })

  it('sets no headers when it is disabled', async () => {
    const { client, close } = await startApp({ disabled: ['security-headers'] })
    const { headers } = await client.get('/albums')
    expect(headers.get('content-security-policy')).to.equal(null)
    await close()
  })
})
