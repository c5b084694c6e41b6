import { expect } from 'chai'
import { catalogue } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'

// https://jsonapi.org/format/1.1/#fetching

describe('Fetching resources', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  it('FET-02 answers 200 with an array of resource objects for a collection', async () => {
    const { status, body } = await client.get('/albums')
    expect(status).to.equal(200)
    expect(body.data.map((album: { id: string }) => album.id)).to.deep.equal(['1', '2'])
  })
})
