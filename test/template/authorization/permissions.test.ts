import { expect } from 'chai'
import type { OperationName, ResourceType } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { buildUrl } from '#test/conformance/leaks/leak-request.ts'
import { sampleResource } from '#test/conformance/leaks/rows.ts'
import { addRows, requiredMembers } from '#test/conformance/rows.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { as, authorizationMatrix, type TestApp } from '#test/support/test-kit.ts'

// The status of each operation for each principal, over the demo.

const principals = {
  anonymous: {},
  user: as('mallory@example.com'),
  owner: as('ada@example.com'),
  admin: as('admin'),
}

type Statuses = readonly [anonymous: number, user: number, owner: number, admin: number]

const forAll = (status: number): Statuses => [status, status, status, status]
const forOwner: Statuses = [401, 403, 200, 403]
const forAdmin = (status: number): Statuses => [401, 403, 403, status]

const morning = '00000000-0000-4000-8000-000000000001'
const playlist = { type: 'playlists', attributes: { title: 'Late' } }
const track = { type: 'tracks', id: '4' }
const album = { type: 'albums', attributes: { title: 'Kid A' } }
const artist = { type: 'artists', attributes: { name: 'Air', slug: 'air' } }

/** Types with a policy or abilities: the statuses of each operation, and the body that is sent. */
const matrix: Readonly<Record<string, readonly (readonly [request: string, statuses: Statuses, body?: object])[]>> = {
  albums: [
    ['GET /albums', forAll(200)],
    ['GET /albums/1', forAll(200)],
    ['GET /albums/3', forAll(404)],
    ['GET /albums/1/tracks', forAll(200)],
    ['GET /albums/1/relationships/tracks', forAll(200)],
    ['POST /albums', forAll(201), { data: album }],
    ['PATCH /albums/1', forAll(200), { data: { ...album, id: '1' } }],
    ['PATCH /albums/3', forAll(404), { data: { ...album, id: '3' } }],
    ['POST /albums/1/relationships/tracks', forAll(200), { data: [track] }],
    ['PATCH /albums/1/relationships/tracks', forAll(200), { data: [track] }],
    ['DELETE /albums/1/relationships/tracks', forAll(200), { data: [track] }],
    ['DELETE /albums/1', forAll(409)],
    ['DELETE /albums/3', forAll(404)],
    ['GET /admin/albums', forAll(200)],
    ['GET /admin/albums/3', forAll(404)],
  ],
  artists: [
    ['GET /artists', forAll(200)],
    ['GET /artists/1', forAll(200)],
    ['GET /artists/1/albums', forAll(200)],
    ['GET /artists/1/relationships/albums', forAll(200)],
    ['POST /artists', forAll(201), { data: artist }],
    ['PATCH /artists/1', forAll(200), { data: { ...artist, id: '1' } }],
    ['POST /artists/1/relationships/albums', forAll(200), { data: [] }],
    ['DELETE /artists/1', forAll(409)],
  ],
  'export-jobs': [
    ['GET /export-jobs', [401, 200, 200, 200]],
    ['GET /export-jobs/job-processing', [200, 404, 404, 200]],
  ],
  playlists: [
    ['GET /playlists', forAll(200)],
    [`GET /playlists/${morning}`, forAll(200)],
    [`GET /playlists/${morning}/tracks`, forAll(200)],
    [`GET /playlists/${morning}/relationships/tracks`, forAll(200)],
    [`GET /playlists/${morning}/publicOwner`, forAll(200)],
    ['POST /playlists', forAll(201), { data: playlist }],
    [`PATCH /playlists/${morning}`, forOwner, { data: { ...playlist, id: morning } }],
    [`POST /playlists/${morning}/relationships/tracks`, forOwner, { data: [track] }],
    [`PATCH /playlists/${morning}/relationships/tracks`, forOwner, { data: [track] }],
    [`DELETE /playlists/${morning}/relationships/tracks`, forOwner, { data: [track] }],
    [`DELETE /playlists/${morning}`, forAdmin(409)],
    ['GET /playlists?filter[trashed]=with', [400, 400, 400, 200]],
    [`POST /playlists/${morning}/-actions/restore`, forAdmin(409)],
    [`POST /playlists/${morning}/-actions/forceDelete`, forAdmin(409)],
    [`GET /playlists/${morning}/relationships/owner`, forAdmin(200)],
    [`GET /admin/playlists/${morning}/owner`, forAdmin(200)],
    [`GET /admin/playlists/${morning}/relationships/owner`, forAdmin(200)],
    [`GET /admin/playlists/${morning}?include=owner`, forAll(200)],
    [`PATCH /admin/playlists/${morning}/relationships/owner`, [401, 403, 204, 403], { data: null }],
    [
      'PATCH /playlists/00000000-0000-4000-8000-000000000000',
      forAll(404),
      {
        data: { ...playlist, id: '00000000-0000-4000-8000-000000000000' },
      },
    ],
    ['DELETE /playlists/00000000-0000-4000-8000-000000000000', forAll(404)],
  ],
}

describe('Authorization of the demo', () => {
  let running: TestApp
  before(async () => {
    running = await catalogue()
  })
  const send = (method: string, path: string, headers: object, body?: object) =>
    running.client.send(method, path, { headers: { ...headers }, ...(body && { body }) })

  for (const [type, rows] of Object.entries(matrix)) {
    describe(`${type}`, () => {
      authorizationMatrix(() => running.client, principals, rows)
    })
  }

  it('has an expectation for every operation of every type with a policy', () => {
    const types = [...running.app.registry.types.values()]
    const secured = types.filter(({ declaration: { policy, abilities } }) => (policy && policy !== open) || abilities)
    expect(Object.keys(matrix)).to.have.members(secured.map(({ name }) => name))
    for (const { name, operations } of secured) {
      const tested = (matrix[name] ?? []).map(([request]) => findOperation(request))
      expect(tested, name).to.include.members([...operations])
    }
  })

  it('returns the success status to every principal for open types', async () => {
    await addRows(running.app, 1)
    const types = [...running.app.registry.types.values()].filter(({ name }) => !(name in matrix))
    for (const type of types) {
      for (const [principal, headers] of Object.entries(principals)) {
        for (const [request, status, expected] of await useAll(type, headers)) {
          expect(status, `${request} by ${principal}`).to.equal(expected)
        }
      }
    }
  })

  /** Runs every operation of the type if there is a row for it, and deletes the created row. */
  async function useAll(type: ResourceType, headers: object): Promise<(readonly [string, number, number])[]> {
    const server = running.app.servers.find(({ types }) => types.has(type.name))
    if (!server) throw new Error(`${type.name} is on no server.`)
    const results: (readonly [request: string, status: number, expected: number])[] = []
    const use = async (operation: OperationName, method: string, id?: string, data?: object) => {
      if (!type.operations.has(operation)) return null
      const path = buildUrl(server, type, id)
      const { status, body } = await send(method, path, headers, data && { data })
      results.push([`${method} ${path}`, status, successStatus(type, operation)])
      return body
    }
    const members = Object.entries(await requiredMembers(running.app, type)).map(([name, data]) => [name, { data }])
    const sample = { ...sampleResource(type, 2), relationships: Object.fromEntries(members) }
    const created = await use('Create', 'POST', undefined, sample)
    const listed = await use('FetchCollection', 'GET')
    const id = listed?.data[0]?.id
    if (id) await use('FetchOne', 'GET', id)
    if (id) await use('Update', 'PATCH', id, { type: type.name, id })
    if (created?.data?.type === type.name) await use('Delete', 'DELETE', created.data.id)
    return results
  }
})

/** Returns the success status of an operation; exports are created by a job. */
function successStatus({ name }: ResourceType, operation: OperationName): number {
  if (operation === 'Create') return name === 'catalog-exports' ? 202 : 201
  return operation === 'Delete' ? 204 : 200
}

/** Returns the operation of a request of the matrix. */
function findOperation(request: string): string {
  const [method = '', path = ''] = request.split(' ')
  const depth = path.replace(/^\/admin/, '').split('/').length - 1
  if (method === 'GET') return ['', 'FetchCollection', 'FetchOne'][depth] ?? 'FetchRelated'
  if (method === 'POST') return depth === 1 ? 'Create' : 'AddToRelationship'
  if (depth > 2) return 'UpdateRelationship'
  return method === 'PATCH' ? 'Update' : 'Delete'
}
