import { expect } from 'chai'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'

describe('Public profiles', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  it('have the display name of a user as their only attribute', async () => {
    const { body } = await client.get('/public-profiles')
    expect(body.data).to.deep.equal([
      {
        type: 'public-profiles',
        id: '1',
        links: { self: `${client.url}/public-profiles/1` },
        attributes: { displayName: 'Ada' },
      },
    ])
    expect((await client.get('/public-profiles/1')).body.data).to.deep.equal(body.data[0])
  })

  it('return 400 for a parameter, and 404 for a URL, that names another member of the user', async () => {
    for (const name of ['email', 'birthDate', 'passwordHash', 'playlists', 'library']) {
      for (const query of [`fields[public-profiles]=${name}`, `sort=${name}`, `include=${name}`, `filter[${name}]=1`]) {
        expect((await client.get(`/public-profiles?${query}`)).status, query).to.equal(400)
      }
      expect((await client.get(`/public-profiles/1/${name}`)).status, name).to.equal(404)
    }
  })

  it('are listed for a user as soon as it is created', async () => {
    const attributes = { email: 'bob@example.com', displayName: 'Bob', password: 'secret123' }
    const { body } = await client.post('/admin/users', { data: { type: 'users', attributes } })
    const profiles = await client.get('/public-profiles?sort=-displayName')
    expect(profiles.body.data.map(({ id }: { id: string }) => id)).to.deep.equal([body.data.id, '1'])
  })

  it('return 405 for writes, and are served by the default server only', async () => {
    const data = { type: 'public-profiles', id: '1', attributes: { displayName: 'Eve' } }
    expect((await client.post('/public-profiles', { data })).status).to.equal(405)
    expect((await client.patch('/public-profiles/1', { data })).status).to.equal(405)
    expect((await client.delete('/public-profiles/1')).status).to.equal(405)
    expect((await client.get('/admin/public-profiles')).body).to.equal(null)
  })
})
