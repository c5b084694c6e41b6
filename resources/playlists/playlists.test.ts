import { expect } from 'chai'
import { addAs, atomicHeaders, readResults } from '#test/support/batch.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { testDatabase } from '#test/support/database.ts'
import { as } from '#test/support/principals.ts'
import { Playlist, PlaylistEntry } from './entity.ts'

const morning = '00000000-0000-4000-8000-000000000001'
const path = `/playlists/${morning}`
const ada = as('ada@example.com')
const admin = as('admin')

describe('Playlists', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  const playlist = (attributes: object, further: object = {}) => ({
    data: { type: 'playlists', attributes, ...further },
  })

  describe('when they are read', () => {
    it('return title, slug, visibility and external id as they are stored', async () => {
      const { body } = await client.get(path)
      expect(body.data.attributes).to.deep.equal({
        title: 'Morning Mix',
        slug: 'morning-mix',
        public: true,
        externalId: '11111111-1111-4111-8111-111111111111',
      })
      expect(printIdentifiers(await client.get('/playlists'))).to.deep.equal([`playlists ${morning}`])
    })

    it('include their owner as a public profile, and return errors for the owner as a user', async () => {
      const { body } = await client.get(`${path}?include=publicOwner`)
      const { owner, publicOwner } = body.data.relationships
      expect(owner).to.deep.equal({ links: { self: `${client.url}${path}/relationships/owner` } })
      expect(publicOwner.data).to.deep.equal({ type: 'public-profiles', id: '1' })
      expect(body.included).to.have.length(1)
      expect(body.included[0].attributes).to.deep.equal({ displayName: 'Ada' })
      expect((await client.get(`${path}/owner`)).body.errors[0].code).to.equal('RELATIONSHIP_NOT_EXISTS')
      expect((await client.get(`${path}?include=owner`)).body.errors[0].code).to.equal('INCLUSION_NOT_ALLOWED')
    })

    it('are served by the admin server without profiles and tracks', async () => {
      const { body } = await client.get(`/admin${path}`)
      for (const name of ['publicOwner', 'tracks', 'orderedTracks']) {
        expect(body.data.relationships[name]).to.deep.equal({
          links: { self: `${client.url}/admin${path}/relationships/${name}` },
        })
      }
      expect(body.data.relationships.owner.links.related).to.equal(`${client.url}/admin${path}/owner`)
    })

    it('have all tracks as linkage and include, and those of the default filter at the related URL', async () => {
      expect(printIdentifiers(await client.get(`${path}/relationships/tracks`))).to.deep.equal(['tracks 1', 'tracks 2'])
      const { body } = await client.get(`${path}?include=tracks`)
      expect(body.included.map(printIdentifier)).to.deep.equal(['tracks 1', 'tracks 2'])
      expect(printIdentifiers(await client.get(`${path}/tracks`))).to.deep.equal(['tracks 1'])
      const all = await client.get(`${path}/tracks?filter[explicit]=`)
      expect(printIdentifiers(all)).to.deep.equal(['tracks 1', 'tracks 2'])
      expect(all.body.meta.page).to.include({ perPage: 2 })
    })

    it('have the linkage of ordered tracks with positions, in the order of creation', async () => {
      const { body } = await client.get(`${path}/relationships/orderedTracks`)
      expect(body.data.map(({ id, meta }: Member) => [id, meta.pivot])).to.deep.equal([
        ['1', { position: 2, weight: 100, addedAt: '2024-04-02T09:00:00+00:00' }],
        ['3', { position: 1, weight: 100, addedAt: '2024-04-01T09:00:00+00:00' }],
        ['2', { position: 3, weight: 100, addedAt: '2024-04-03T09:00:00+00:00' }],
      ])
    })

    it('return ordered tracks sorted and filtered by position', async () => {
      const sorted = await client.get(`${path}/orderedTracks?sort=position`)
      expect(printIdentifiers(sorted)).to.deep.equal(['tracks 3', 'tracks 1'])
      expect(sorted.body.data[0].meta.pivot).to.include({ position: 1 })
      expect(sorted.body.links).not.to.have.property('next')
      expect(printIdentifiers(await client.get(`${path}/orderedTracks?filter[explicit]=true`))).to.deep.equal([
        'tracks 2',
      ])
      expect(printIdentifiers(await client.get(`${path}/orderedTracks?filter[position]=2`))).to.deep.equal(['tracks 1'])
      expect(printIdentifiers(await client.get(`${path}/orderedTracks?filter[weight]=99`))).to.deep.equal([])
    })

    it('return 404 RESOURCE_NOT_FOUND when the id is not a UUID', async () => {
      for (const id of ['1', 'morning-mix', `${morning}0`]) {
        const { status, body } = await client.get(`/playlists/${id}`)
        expect(status).to.equal(404)
        expect(body.errors[0].code).to.equal('RESOURCE_NOT_FOUND')
      }
    })
  })

  describe('when they are created', () => {
    it('return a random UUID, a slug of the title and defaults', async () => {
      const { status, headers, body } = await client.post('/playlists', playlist({ title: 'Évening  Mix!' }))
      expect(status).to.equal(201)
      expect(body.data.id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(headers.get('location')).to.equal(`${client.url}/playlists/${body.data.id}`)
      expect(body.data.attributes).to.include({ title: 'Évening  Mix!', slug: 'evening-mix', public: false })
      expect((await client.get(`/playlists/${body.data.id}`)).body.data).to.deep.equal(body.data)
    })

    it('return the attributes that were sent, except the slug', async () => {
      const attributes = { title: 'Late', public: true, externalId: '22222222-2222-4222-8222-222222222222' }
      const { status, body } = await client.post('/playlists', playlist({ ...attributes, slug: 'mine' }))
      expect(status).to.equal(201)
      expect(body.data.attributes).to.deep.equal({ ...attributes, slug: 'late' })
    })

    it('accept an owner as a user or as a public profile', async () => {
      const owners = { owner: { type: 'users', id: '1' }, publicOwner: { type: 'public-profiles', id: '1' } }
      for (const [name, data] of Object.entries(owners)) {
        const relationships = { [name]: { data } }
        const { status, body } = await client.post('/playlists', playlist({ title: 'Late' }, { relationships }))
        expect(status, name).to.equal(201)
        expect(body.data.relationships.publicOwner.data).to.deep.equal({ type: 'public-profiles', id: '1' })
      }
    })

    it('return 403 for a client id, 422 for invalid values and 404 for a missing owner', async () => {
      const withId = await client.post('/playlists', playlist({ title: 'Late' }, { id: morning }))
      expect(withId.status).to.equal(403)
      for (const attributes of [{}, { title: ' ' }, { title: 'Late', externalId: 'x' }, { title: 'Late', public: 1 }]) {
        expect((await client.post('/playlists', playlist(attributes))).status).to.equal(422)
      }
      const relationships = { publicOwner: { data: { type: 'public-profiles', id: '99' } } }
      const ownerless = await client.post('/playlists', playlist({ title: 'Late' }, { relationships }))
      expect(ownerless.status).to.equal(404)
    })
  })

  describe('when they are updated or deleted', () => {
    const retitle = (title: string, headers = {}) => client.patch(path, playlist({ title }, { id: morning }), headers)

    it('return 200 to their owner, and 401 or 403 to other requesters', async () => {
      expect((await retitle('Mine')).status).to.equal(401)
      expect((await retitle('Mine', as('mallory@example.com'))).status).to.equal(403)
      expect((await retitle('Mine', as('admin'))).status).to.equal(403)
      expect((await client.get(path)).body.data.attributes.title).to.equal('Morning Mix')
      const { status, body } = await retitle('Noon Mix', as('ada@example.com'))
      expect(status).to.equal(200)
      expect(body.data.attributes).to.include({ title: 'Noon Mix', slug: 'noon-mix' })
    })

    it('keep their slug when the title is not updated', async () => {
      const change = playlist({ public: false, slug: 'other' }, { id: morning })
      const { body } = await client.patch(path, change, as('ada@example.com'))
      expect(body.data.attributes).to.include({ public: false, slug: 'morning-mix' })
    })

    it('return their owner to an administrator, 401 to anonymous requesters and 403 to others', async () => {
      const owner = `/admin${path}/owner`
      expect((await client.get(owner)).status).to.equal(401)
      expect((await client.get(owner, as('ada@example.com'))).status).to.equal(403)
      expect((await client.get(owner, as('admin'))).body.data.attributes.email).to.equal('ada@example.com')
      const hidden = await client.get(`/admin${path}?include=owner`, as('ada@example.com'))
      expect(hidden.body.included).to.deep.equal([])
      expect(hidden.body.data.relationships.owner).not.to.have.property('data')
      const shown = await client.get(`/admin${path}?include=owner`, as('admin'))
      expect(shown.body.included.map(printIdentifier)).to.deep.equal(['users 1'])
    })

    it('are moved to the trash by an administrator, and return 403 to other requesters', async () => {
      const trashed = await create()
      expect((await client.delete(trashed)).status).to.equal(401)
      expect((await client.delete(trashed, undefined, ada)).status).to.equal(403)
      expect((await client.delete(trashed, undefined, admin)).status).to.equal(204)
      for (const headers of [{}, ada, admin]) {
        expect((await client.get(trashed, headers)).status).to.equal(404)
        expect(printIdentifiers(await client.get('/playlists', headers))).to.deep.equal([`playlists ${morning}`])
      }
    })

    it('are removed from the playlists of their tracks until they are restored with their entries', async () => {
      const trashed = await create()
      const id = trashed.split('/').at(-1)
      await client.delete(trashed, undefined, admin)
      expect(printIdentifiers(await client.get('/tracks/1/relationships/playlists'))).to.deep.equal([
        `playlists ${morning}`,
      ])
      const restore = `${trashed}/-actions/restore`
      expect((await client.send('POST', restore)).status).to.equal(404)
      expect((await client.send('POST', restore, { headers: ada })).status).to.equal(404)
      const { status, body } = await client.send('POST', restore, { headers: admin })
      expect([status, body.data.id]).to.deep.equal([200, id])
      expect(printIdentifiers(await client.get(`${trashed}/relationships/orderedTracks`))).to.deep.equal(['tracks 1'])
      expect((await client.send('POST', restore, { headers: admin })).status).to.equal(409)
    })

    it('are shown in the trash to an administrator, with links to the actions', async () => {
      const trashed = await create()
      await client.delete(trashed, undefined, admin)
      const { body } = await client.get(`${trashed}?filter[trashed]=with`, admin)
      expect(body.data.meta).to.deep.equal({ trashed: true })
      expect(Object.keys(body.data.links)).to.deep.equal(['self', 'restore', 'forceDelete'])
      const list = await client.get('/playlists?filter[trashed]=only', admin)
      expect(list.body.data.map(({ links }: { links: object }) => links)).to.deep.equal([body.data.links])
      for (const headers of [{}, ada]) {
        const hidden = await client.get('/playlists?filter[trashed]=only', headers)
        expect([hidden.status, hidden.body.errors[0].code]).to.deep.equal([400, 'FILTERING_UNRECOGNIZED'])
      }
    })

    it('are deleted with their entries by forceDelete', async () => {
      const trashed = await create()
      await client.delete(trashed, undefined, admin)
      const forceDelete = `${trashed}/-actions/forceDelete`
      expect((await client.send('POST', forceDelete)).status).to.equal(404)
      expect((await client.send('POST', forceDelete, { headers: ada })).status).to.equal(404)
      expect((await client.send('POST', forceDelete, { headers: admin })).status).to.equal(204)
      const em = (await testDatabase()).orm.em.fork()
      const playlistId = trashed.split('/').at(-1) as string
      expect(await em.count(PlaylistEntry, { playlist: playlistId })).to.equal(0)
      expect(await em.count(Playlist, { id: playlistId })).to.equal(0)
    })

    it('return 409 for forceDelete while they have tracks', async () => {
      expect((await client.send('POST', `${path}/-actions/forceDelete`, { headers: admin })).status).to.equal(409)
      expect((await client.get(path)).status).to.equal(200)
    })

    /** Creates a playlist with an entry and returns its path. */
    async function create(): Promise<string> {
      const { body } = await client.post('/playlists', playlist({ title: 'Late' }))
      const em = (await testDatabase()).orm.em.fork()
      await em.insert(PlaylistEntry, { playlist: body.data.id, track: 1, position: 1 })
      return `/playlists/${body.data.id}`
    }
  })

  describe('when their hooks run', () => {
    const create = (identifier: string, attributes: object = {}) =>
      client.post('/playlists', playlist({ title: 'Late', ...attributes }), as(identifier))

    it('get an external id, and belong to the user who creates them', async () => {
      const { body } = await create('ada@example.com')
      expect(body.data.attributes.externalId).to.match(/^[0-9a-f-]{36}$/)
      expect(body.data.relationships.publicOwner.data).to.deep.equal({ type: 'public-profiles', id: '1' })
    })

    it('keep the external id that was sent, and have no owner when the user is unknown', async () => {
      const externalId = '22222222-2222-4222-8222-222222222222'
      const { body } = await create('mallory@example.com', { externalId })
      expect(body.data.attributes.externalId).to.equal(externalId)
      expect(body.data.relationships.publicOwner.data).to.equal(null)
    })

    it('get an external id when the program creates them', async () => {
      const { body } = await client.post('/playlists', playlist({ title: 'Late' }))
      expect(body.data.attributes.externalId).to.match(/^[0-9a-f-]{36}$/)
      expect(body.data.relationships.publicOwner.data).to.equal(null)
    })

    it('keep the owner that was sent', async () => {
      const { id } = (await client.post('/admin/users', mallory)).body.data
      const relationships = { publicOwner: { data: { type: 'public-profiles', id } } }
      const { body } = await client.post(
        '/playlists',
        playlist({ title: 'Late' }, { relationships }),
        as('ada@example.com'),
      )
      expect(body.data.relationships.publicOwner.data).to.deep.equal({ type: 'public-profiles', id })
    })

    it('return 409 for DELETE by an administrator while they have tracks', async () => {
      const remove = (headers = {}) => client.delete(path, undefined, headers)
      expect((await remove()).status).to.equal(401)
      expect((await remove(as('ada@example.com'))).status).to.equal(403)
      const { status, body } = await remove(as('admin'))
      expect(status).to.equal(409)
      expect(body.errors).to.deep.equal([{ status: '409', title: 'Conflict', detail: '' }])
      expect((await client.get(path)).status).to.equal(200)
    })
  })

  describe('POST and DELETE /tracks/{id}/relationships/playlists', () => {
    const linkage = '/tracks/4/relationships/playlists'
    const body = { data: [{ type: 'playlists', id: morning }] }

    it('returns 401 or 403 and changes nothing when the requester does not own the playlist', async () => {
      const before = printIdentifiers(await client.get(`${path}/relationships/tracks`))
      for (const [method, url] of [
        ['POST', linkage],
        ['DELETE', '/tracks/1/relationships/playlists'],
      ] as const) {
        expect((await client.send(method, url, { body })).status, method).to.equal(401)
        expect((await client.send(method, url, { body, headers: as('mallory@example.com') })).status).to.equal(403)
        expect((await client.send(method, url, { body, headers: as('admin') })).status).to.equal(403)
      }
      expect(printIdentifiers(await client.get(`${path}/relationships/tracks`))).to.deep.equal(before)
    })

    it('returns 200 when the owner of the playlist adds and removes a track', async () => {
      expect(printIdentifiers(await client.post(linkage, body, ada))).to.deep.equal([`playlists ${morning}`])
      expect(printIdentifiers(await client.send('DELETE', linkage, { body, headers: ada }))).to.deep.equal([])
    })
  })

  it('can be created by local id and changed in the same batch by their owner', async () => {
    const operations = [
      addAs('new', 'playlists', { title: 'Evening Mix' }),
      {
        op: 'update',
        ref: { type: 'playlists', lid: 'new' },
        data: { type: 'playlists', attributes: { title: 'Late Mix' } },
      },
    ]
    const answer = await client.post('/operations', { 'atomic:operations': operations }, { ...atomicHeaders, ...ada })
    expect(readResults(answer).map(({ attributes }) => attributes?.title)).to.deep.equal(['Evening Mix', 'Late Mix'])
  })

  it('lose a track when the track is deleted', async () => {
    expect((await client.delete('/tracks/1')).status).to.equal(204)
    expect(printIdentifiers(await client.get(`${path}/relationships/tracks`))).to.deep.equal(['tracks 2'])
    expect(printIdentifiers(await client.get(`${path}/relationships/orderedTracks`))).to.deep.equal([
      'tracks 3',
      'tracks 2',
    ])
  })
})

interface Member {
  readonly type: string
  readonly id: string
  readonly meta: { readonly pivot: object }
}

function printIdentifier({ type, id }: Member): string {
  return `${type} ${id}`
}

function printIdentifiers({ body }: ClientResponse): string[] {
  return body.data.map(printIdentifier)
}

const mallory = {
  data: {
    type: 'users',
    attributes: {
      email: 'mallory@example.com',
      displayName: 'Mallory',
      password: 'passw0rd',
      passwordConfirm: 'passw0rd',
    },
  },
}
