import { expect } from 'chai'
import type { OperationName, ResourceType } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { addRows, requiredMembers } from './prove/rows.ts'
import { catalogue } from './support/catalogue.ts'
import { as, authorizationMatrix, type TestApp } from './support/kit.ts'
import { sampleOf } from './support/leaks/rows.ts'
import { urlOf } from './support/leaks/way.ts'

// Operations × principals over the demo: who gets which answer.

const principals = {
  anonymous: {},
  user: as('mallory@example.com'),
  owner: as('ada@example.com'),
  admin: as('admin'),
}

type Statuses = readonly [anonymous: number, user: number, owner: number, admin: number]

const everybody = (status: number): Statuses => [status, status, status, status]
const owners: Statuses = [401, 403, 200, 403]
const admins = (status: number): Statuses => [401, 403, 403, status]

const morning = '00000000-0000-4000-8000-000000000001'
const playlist = { type: 'playlists', attributes: { title: 'Late' } }
const track = { type: 'tracks', id: '4' }
const album = { type: 'albums', attributes: { title: 'Kid A' } }
const artist = { type: 'artists', attributes: { name: 'Air', slug: 'air' } }

/** Types with a policy or abilities: what each operation answers, and with which body it is asked. */
const matrix: Readonly<Record<string, readonly (readonly [request: string, statuses: Statuses, body?: object])[]>> = {
  albums: [
    ['GET /albums', everybody(200)],
    ['GET /albums/1', everybody(200)],
    ['GET /albums/3', everybody(404)],
    ['GET /albums/1/tracks', everybody(200)],
    ['GET /albums/1/relationships/tracks', everybody(200)],
    ['POST /albums', everybody(201), { data: album }],
    ['PATCH /albums/1', everybody(200), { data: { ...album, id: '1' } }],
    ['PATCH /albums/3', everybody(404), { data: { ...album, id: '3' } }],
    ['POST /albums/1/relationships/tracks', everybody(200), { data: [track] }],
    ['PATCH /albums/1/relationships/tracks', everybody(200), { data: [track] }],
    ['DELETE /albums/1/relationships/tracks', everybody(200), { data: [track] }],
    ['DELETE /albums/1', everybody(409)],
    ['DELETE /albums/3', everybody(404)],
    ['GET /admin/albums', everybody(200)],
    ['GET /admin/albums/3', everybody(404)],
  ],
  artists: [
    ['GET /artists', everybody(200)],
    ['GET /artists/1', everybody(200)],
    ['GET /artists/1/albums', everybody(200)],
    ['GET /artists/1/relationships/albums', everybody(200)],
    ['POST /artists', everybody(201), { data: artist }],
    ['PATCH /artists/1', everybody(200), { data: { ...artist, id: '1' } }],
    ['POST /artists/1/relationships/albums', everybody(200), { data: [] }],
    ['DELETE /artists/1', everybody(409)],
  ],
  playlists: [
    ['GET /playlists', everybody(200)],
    [`GET /playlists/${morning}`, everybody(200)],
    [`GET /playlists/${morning}/tracks`, everybody(200)],
    [`GET /playlists/${morning}/relationships/tracks`, everybody(200)],
    [`GET /playlists/${morning}/publicOwner`, everybody(200)],
    ['POST /playlists', everybody(201), { data: playlist }],
    [`PATCH /playlists/${morning}`, owners, { data: { ...playlist, id: morning } }],
    [`POST /playlists/${morning}/relationships/tracks`, owners, { data: [track] }],
    [`PATCH /playlists/${morning}/relationships/tracks`, owners, { data: [track] }],
    [`DELETE /playlists/${morning}/relationships/tracks`, owners, { data: [track] }],
    [`DELETE /playlists/${morning}`, admins(409)],
    [`GET /playlists/${morning}/relationships/owner`, admins(200)],
    [`GET /admin/playlists/${morning}/owner`, admins(200)],
    [`GET /admin/playlists/${morning}/relationships/owner`, admins(200)],
    [`GET /admin/playlists/${morning}?include=owner`, everybody(200)],
    [`PATCH /admin/playlists/${morning}/relationships/owner`, [401, 403, 204, 403], { data: null }],
    [
      'PATCH /playlists/00000000-0000-4000-8000-000000000000',
      everybody(404),
      {
        data: { ...playlist, id: '00000000-0000-4000-8000-000000000000' },
      },
    ],
    ['DELETE /playlists/00000000-0000-4000-8000-000000000000', everybody(404)],
  ],
}

describe('Who may do what', () => {
  let running: TestApp
  before(async () => {
    running = await catalogue()
  })
  const send = (method: string, path: string, headers: object, body?: object) =>
    running.client.send(method, path, { headers: { ...headers }, ...(body && { body }) })

  for (const [type, rows] of Object.entries(matrix)) {
    describe(`with ${type}`, () => {
      authorizationMatrix(() => running.client, principals, rows)
    })
  }

  it('is told for every type that has a policy, and every operation of it', () => {
    const types = [...running.app.registry.types.values()]
    const secured = types.filter(({ declaration: { policy, abilities } }) => (policy && policy !== open) || abilities)
    expect(Object.keys(matrix)).to.have.members(secured.map(({ name }) => name))
    for (const { name, operations } of secured) {
      const told = (matrix[name] ?? []).map(([request]) => operationOf(request))
      expect(told, name).to.include.members([...operations])
    }
  })

  it('is not asked of any other type: everybody may do whatever it offers', async () => {
    await addRows(running.app, 1)
    const types = [...running.app.registry.types.values()].filter(({ name }) => !(name in matrix))
    for (const type of types) {
      for (const [who, headers] of Object.entries(principals)) {
        for (const [request, status] of await useAll(type, headers)) {
          expect(status, `${request} by ${who}`).to.be.within(200, 303)
        }
      }
    }
  })

  /** Every operation a type offers, where there is a row for it; what is made is removed again. */
  async function useAll(type: ResourceType, headers: object): Promise<(readonly [request: string, status: number])[]> {
    const server = running.app.servers.find(({ types }) => types.has(type.name))
    if (!server) throw new Error(`${type.name} is on no server.`)
    const asked: (readonly [string, number])[] = []
    const use = async (operation: OperationName, method: string, id?: string, data?: object) => {
      if (!type.operations.has(operation)) return null
      const path = urlOf(server, type, id)
      const { status, body } = await send(method, path, headers, data && { data })
      asked.push([`${method} ${path}`, status])
      return body
    }
    const members = Object.entries(await requiredMembers(running.app, type)).map(([name, data]) => [name, { data }])
    const sample = { ...sampleOf(type), relationships: Object.fromEntries(members) }
    const made = await use('Create', 'POST', undefined, sample)
    const listed = await use('FetchCollection', 'GET')
    const id = listed?.data[0]?.id
    if (id) await use('FetchOne', 'GET', id)
    if (id) await use('Update', 'PATCH', id, { type: type.name, id })
    if (made?.data.type === type.name) await use('Delete', 'DELETE', made.data.id)
    return asked
  }
})

/** The operation a request of the matrix asks for. */
function operationOf(request: string): string {
  const [method = '', path = ''] = request.split(' ')
  const depth = path.replace(/^\/admin/, '').split('/').length - 1
  if (method === 'GET') return ['', 'FetchCollection', 'FetchOne'][depth] ?? 'FetchRelated'
  if (method === 'POST') return depth === 1 ? 'Create' : 'AddToRelationship'
  if (depth > 2) return 'UpdateRelationship'
  return method === 'PATCH' ? 'Update' : 'Delete'
}
