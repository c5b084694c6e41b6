import { expect } from 'chai'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'

describe('Favorites', () => {
  let client: Client
  const create = (relationships: object, attributes: object = {}) =>
    client.post('/favorites', { data: { type: 'favorites', attributes, relationships } })

  before(async () => {
    client = (await catalogue()).client
  })

  it('have the linkage of a track, an album and an artist in one collection', async () => {
    const { body } = await client.get('/favorites')
    expect(body.data.map(({ attributes }: Favorite) => attributes.favoritedAt)).to.deep.equal([
      '2024-01-15T10:00:00+00:00',
      '2024-02-20T14:30:00+00:00',
      '2024-03-05T08:15:00+00:00',
    ])
    expect(body.data.map(printTarget)).to.deep.equal(['tracks 2', 'albums 1', 'artists 2'])
    expect(printTarget((await client.get('/favorites/1')).body.data)).to.equal('tracks 2')
  })

  it('read their targets by one statement per type', async () => {
    for (let count = 0; count < 5; count++) await create({ favoritable: { data: { type: 'tracks', id: '1' } } })
    expect(await statementsOf(() => client.get('/favorites'))).to.have.length(4)
  })

  it('return their target at the related URL, and its identifier at the relationship URL', async () => {
    for (const [id, name] of Object.entries({ 1: 'tracks 2', 2: 'albums 1', 3: 'artists 2' })) {
      const related = await client.get(`/favorites/${id}/favoritable`)
      expect(`${related.body.data.type} ${related.body.data.id}`).to.equal(name)
      expect(related.body.data).to.have.property('attributes')
      const { data } = (await client.get(`/favorites/${id}/relationships/favoritable`)).body
      expect(`${data.type} ${data.id}`).to.equal(name)
    }
  })

  it('return 400 for an include of their target', async () => {
    const { status, body } = await client.get('/favorites/1?include=favoritable')
    expect(status).to.equal(400)
    expect(body.errors[0]).to.include({ code: 'INCLUSION_NOT_ALLOWED' })
  })

  it('return 404 at the related URL of their user, which the default server does not serve', async () => {
    const { body } = await client.get('/favorites/1')
    expect(body.data.relationships.user).to.deep.equal({
      links: { self: `${client.url}/favorites/1/relationships/user` },
    })
    expect((await client.get('/favorites/1/user')).status).to.equal(404)
    expect((await client.get('/favorites/1/relationships/user')).body.data).to.deep.equal({ type: 'users', id: '1' })
  })

  describe('when they are written', () => {
    it('return the target that was sent, and the current time', async () => {
      const before = Math.floor(Date.now() / 1000) * 1000
      const target = { type: 'artists', id: '1' }
      const { status, body } = await create({
        favoritable: { data: target },
        user: { data: { type: 'users', id: '1' } },
      })
      expect(status).to.equal(201)
      expect(body.data.relationships.favoritable.data).to.deep.equal(target)
      expect(Date.parse(body.data.attributes.favoritedAt)).to.be.within(before, Date.now())
      expect((await client.get(`/favorites/${body.data.id}`)).body.data).to.deep.equal(body.data)
    })

    it('accept a time on create, and ignore it on update', async () => {
      const created = await create({}, { favoritedAt: '2020-01-01T00:00:00Z' })
      expect(created.body.data.attributes.favoritedAt).to.equal('2020-01-01T00:00:00+00:00')
      expect(created.body.data.relationships.favoritable.data).to.equal(null)
      const { id } = created.body.data
      const attributes = { favoritedAt: '2021-01-01T00:00:00Z' }
      const { status, body } = await client.patch(`/favorites/${id}`, { data: { type: 'favorites', id, attributes } })
      expect(status).to.equal(200)
      expect(body.data.attributes.favoritedAt).to.equal('2020-01-01T00:00:00+00:00')
    })

    it('accept a target of another type, or null', async () => {
      const path = '/favorites/1/relationships/favoritable'
      const album = await client.patch(path, { data: { type: 'albums', id: '2' } })
      expect(album.body.data).to.deep.equal({ type: 'albums', id: '2' })
      const relationships = { favoritable: { data: { type: 'artists', id: '1' } } }
      const artist = await client.patch('/favorites/1', { data: { type: 'favorites', id: '1', relationships } })
      expect(printTarget(artist.body.data)).to.equal('artists 1')
      expect((await client.patch(path, { data: null })).body.data).to.equal(null)
      expect((await client.get('/favorites/1/favoritable')).body.data).to.equal(null)
    })

    it('return 404 for a missing or hidden target, and 409 for a type that is not allowed', async () => {
      const pointer = '/data/relationships/favoritable/data'
      for (const [type, id] of [
        ['tracks', '99'],
        ['albums', '3'],
        ['artists', 'x'],
      ]) {
        const { status, body } = await create({ favoritable: { data: { type, id } } })
        expect(status, type).to.equal(404)
        expect(body.errors[0].source).to.deep.equal({ pointer })
      }
      const { status, body } = await create({ favoritable: { data: { type: 'users', id: '1' } } })
      expect(status).to.equal(409)
      expect(body.errors[0].source).to.deep.equal({ pointer: `${pointer}/type` })
    })
  })

  it('accept a user exactly if its public profile exists, and so reveal no other user', async () => {
    const attributes = { email: 'bob@example.com', displayName: 'Bob', password: 'secret123' }
    const { body } = await client.post('/admin/users', { data: { type: 'users', attributes } })
    for (const id of ['1', body.data.id, '99', '0', '-1', '2147483648', 'x']) {
      const isPublic = (await client.get(`/public-profiles/${id}`)).status === 200
      const { status } = await create({ user: { data: { type: 'users', id } } })
      expect(status, id).to.equal(isPublic ? 201 : 404)
    }
  })

  it('are deleted with their target, and kept when its deletion fails', async () => {
    expect((await client.delete('/albums/1')).status).to.equal(409)
    expect((await client.get('/favorites/2')).status).to.equal(200)
    expect((await client.delete('/tracks/2')).status).to.equal(204)
    const { body } = await client.get('/favorites')
    expect(body.data.map(printTarget)).to.deep.equal(['albums 1', 'artists 2'])
  })

  it('of a track are kept when an album with the same id is deleted', async () => {
    const { body } = await client.post('/albums', { data: { type: 'albums', attributes: { title: 'New' } } })
    const { id } = body.data
    expect((await client.get(`/tracks/${id}`)).status).to.equal(200)
    const kept = await create({ favoritable: { data: { type: 'tracks', id } } })
    expect((await client.delete(`/albums/${id}`)).status).to.equal(204)
    expect(printTarget((await client.get(`/favorites/${kept.body.data.id}`)).body.data)).to.equal(`tracks ${id}`)
  })

  it('return 404 after DELETE, which keeps their target', async () => {
    expect((await client.delete('/favorites/1')).status).to.equal(204)
    expect((await client.get('/favorites/1')).status).to.equal(404)
    expect((await client.get('/tracks/2')).status).to.equal(200)
  })
})

interface Favorite {
  readonly attributes: { readonly favoritedAt: string }
  readonly relationships: { readonly favoritable: { readonly data: { readonly type: string; readonly id: string } } }
}

function printTarget({ relationships }: Favorite): string {
  const { type, id } = relationships.favoritable.data
  return `${type} ${id}`
}
