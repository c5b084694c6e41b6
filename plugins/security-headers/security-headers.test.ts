import { expect } from 'chai'
import { startApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'

describe('The plugin security-headers', () => {
  it('makes browsers careful with every answer, errors included', async () => {
    const { client } = await catalogue()
    for (const path of ['/albums', '/albums/4711', '/nowhere', '/errors', '/docs.json']) {
      const { headers } = await client.get(path)
      expect(headers.get('x-content-type-options'), path).to.equal('nosniff')
      expect(headers.get('strict-transport-security'), path).to.match(/^max-age=\d{8}/)
      expect(headers.get('referrer-policy'), path).to.equal('no-referrer')
      expect(headers.get('x-frame-options'), path).to.equal('SAMEORIGIN')
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy, path)
        .to.match(/default-src 'self'/)
        .and.to.match(/frame-ancestors 'none'/)
      expect(policy, path).not.to.match(/unsafe-eval|upgrade-insecure-requests/)
    }
  })

  it('is gone when it is off', async () => {
    const { client, close } = await startApp({ disabled: ['security-headers'] })
    const { headers } = await client.get('/albums')
    expect(headers.get('content-security-policy')).to.equal(null)
    await close()
  })
})
