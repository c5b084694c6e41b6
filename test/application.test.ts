import { expect } from 'chai'
import { developmentTokens } from '#app/plugins.ts'
import { as, type Client, createTestApp, type TestApp } from '#test/support/test-kit.ts'

// The application as it is configured: all plugins of app/plugins.ts, all types of resources/.

describe('The application', () => {
  let app: TestApp['app']
  let client: Client

  before(async () => {
    ;({ app, client } = await createTestApp())
  })

  it('has a JSON:API document for every collection, for anonymous clients and for every development token', async () => {
    const collections = app.servers.flatMap(({ prefix, types }) =>
      [...types.values()].flatMap(({ uriType, operations }) =>
        operations.has('FetchCollection') ? `${prefix}/${uriType}` : [],
      ),
    )
    for (const headers of [{}, ...Object.keys(developmentTokens).map(as)]) {
      for (const path of collections) {
        const { status, body } = await client.get(path, headers)
        expect([200, 401, 403], path).to.include(status)
        expect(body, path).to.have.any.keys('data', 'errors')
      }
    }
  })

  it('returns 404 for a URL that no server has', async () => {
    expect((await client.get('/-/unknown')).status).to.equal(404)
  })
})
