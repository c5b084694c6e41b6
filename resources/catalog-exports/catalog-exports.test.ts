import { expect } from 'chai'
import { catalogue } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'

describe('Catalog exports', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  it('show their format and how far they are', async () => {
    const { body } = await client.get('/catalog-exports')
    expect(body.data.map(({ attributes }: { attributes: object }) => attributes)).to.deep.equal([
      { format: 'csv', status: 'ready' },
      { format: 'json', status: 'ready' },
    ])
    expect((await client.get('/catalog-exports/2')).body.data).to.deep.equal(body.data[1])
  })

  it('are removed, and not changed', async () => {
    const data = { type: 'catalog-exports', id: '1', attributes: { format: 'xml' } }
    expect((await client.patch('/catalog-exports/1', { data })).status).to.equal(405)
    expect((await client.delete('/catalog-exports/1')).status).to.equal(204)
    expect((await client.get('/catalog-exports/1')).status).to.equal(404)
  })
})
