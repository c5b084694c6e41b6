import { expect } from 'chai'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'

describe('Charts', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  it('are returned from memory, without a statement', async () => {
    const statements = await statementsOf(async () => {
      const { body } = await client.get('/charts')
      expect(body.data).to.deep.equal([
        {
          type: 'charts',
          id: '1',
          links: { self: `${client.url}/charts/1` },
          attributes: {
            name: 'Weekly Top',
            period: '2024-W03',
            entries: [
              { rank: 1, trackId: '2', plays: 12_000 },
              { rank: 2, trackId: '1', plays: 9_800 },
              { rank: 3, trackId: '4', plays: 7_100 },
            ],
          },
        },
      ])
      expect((await client.get('/charts/1')).body.data).to.deep.equal(body.data[0])
      expect((await client.get('/charts/2')).body.errors[0].code).to.equal('RESOURCE_NOT_FOUND')
    })
    expect(statements).to.deep.equal([])
  })

  it('return only the attributes of a sparse fieldset', async () => {
    const { body } = await client.get('/charts/1?fields[charts]=period')
    expect(body.data.attributes).to.deep.equal({ period: '2024-W03' })
  })

  it('return a plain 404 for related and relationship URLs, because they have no relations', async () => {
    for (const path of ['/charts/1/tracks', '/charts/1/relationships/tracks']) {
      const { status, body } = await client.get(path)
      expect(status, path).to.equal(404)
      expect(body, path).to.equal(null)
    }
  })

  it('return 405 for writes', async () => {
    const data = { type: 'charts', id: '1', attributes: { name: 'Mine' } }
    expect((await client.post('/charts', { data })).status).to.equal(405)
    expect((await client.patch('/charts/1', { data })).status).to.equal(405)
    expect((await client.delete('/charts/1')).status).to.equal(405)
  })
})
