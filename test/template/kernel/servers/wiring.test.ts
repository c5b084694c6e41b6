import { expect } from 'chai'
import { readConfig } from '#app/config.ts'
import { servers } from '#app/servers.ts'
import { startApp } from '#test/support/catalogue.ts'

describe('The servers of app/servers.ts', () => {
  it('use BASE_URI as base of links, and ADMIN_BASE_URI for the admin server if it is set', async () => {
    const basesWith = (env: Record<string, string>) =>
      Object.values(servers(readConfig(env))).map(({ baseUri }) => baseUri)
    const BASE_URI = 'https://api.example'
    expect(basesWith({})).to.deep.equal(['', ''])
    expect(basesWith({ BASE_URI })).to.deep.equal([BASE_URI, `${BASE_URI}/admin`])
    const ADMIN_BASE_URI = 'https://admin.example'
    expect(basesWith({ BASE_URI, ADMIN_BASE_URI })).to.deep.equal([BASE_URI, ADMIN_BASE_URI])
  })

  it('return links that begin with BASE_URI', async () => {
    const { client, close } = await startApp({ servers: servers(readConfig({ BASE_URI: 'https://api.example/v1' })) })
    const { body } = await client.get('/admin/albums/1')
    expect(body.links.self).to.equal('https://api.example/v1/admin/albums/1')
    expect(body.data.links.self).to.equal('https://api.example/v1/admin/albums/1')
    await close()
  })
})
