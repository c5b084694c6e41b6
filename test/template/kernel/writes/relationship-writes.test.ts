import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource } from '#kernel'
import type { Plugin } from '#kernel/plugin'
import type { RelationHookContext } from '#plugins/lifecycle/index.ts'
import { Track } from '#resources/tracks/entity.ts'
import { markDirty, startApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { testDatabase } from '#test/support/database.ts'
import { as } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

// Members of the catalogue's relationships: of every kind, from both sides, by many at once.

const morning = '00000000-0000-4000-8000-000000000001'
const bulk = Array.from({ length: 100 }, (_, index) => String(1001 + index))

describe('Relationship writes', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  const ada = as('ada@example.com')
  const path = (type: string, id: string, name: string) => `/${type}/${id}/relationships/${name}`
  const tracks = (...ids: readonly string[]) => ({ data: ids.map((id) => ({ type: 'tracks', id })) })
  const read = async (of: string) => printIdentifiers(await client.get(of))

  describe('of a has-many or has-one', () => {
    it('do not change members that the requester may not see', async () => {
      const albums = path('artists', '1', 'albums')
      expect((await client.patch(albums, { data: [{ type: 'albums', id: '2' }] })).status).to.equal(200)
      expect(await read(albums)).to.deep.equal(['albums 2'])
      expect(await column('select artist_id as value from albums order by id')).to.deep.equal([null, 1, 1])
    })

    it('move the member of a has-one from one parent to another', async () => {
      const library = { data: { type: 'libraries', id: '1' } }
      await execute(`insert into users (id, email, display_name) values (2, 'eve@example.com', 'Eve')`)
      await execute(`insert into libraries (id, owner_id) values (2, 2)`)
      const { status, body } = await client.patch('/admin/users/2/relationships/library', library)
      expect([status, body.data]).to.deep.equal([200, library.data])
      expect(await column('select owner_id as value from libraries order by id')).to.deep.equal([2, null])
    })
  })

  describe('of a many-to-many', () => {
    const members = path('playlists', morning, 'tracks')

    it('of one relation do not change the members of another', async () => {
      expect(printIdentifiers(await client.patch(members, tracks('4', '3'), ada))).to.deep.equal([
        'tracks 3',
        'tracks 4',
      ])
      expect(await read(path('playlists', morning, 'orderedTracks'))).to.deep.equal([
        'tracks 1',
        'tracks 3',
        'tracks 2',
      ])
    })

    it('return 403 when the policy of the parent denies the update', async () => {
      for (const method of ['PATCH', 'POST', 'DELETE']) {
        expect((await client.send(method, members, { body: tracks() })).status, method).to.equal(401)
        const stranger = as('mallory@example.com')
        expect((await client.send(method, members, { body: tracks(), headers: stranger })).status).to.equal(403)
      }
    })

    it('return 422 with the pointer of an id that does not have the form of its type', async () => {
      const data = [{ type: 'playlists', id: 'nope' }]
      const { status, body } = await client.post(path('tracks', '1', 'playlists'), { data })
      expect(status).to.equal(422)
      expect(body.errors[0]).to.deep.include({ code: 'VALIDATION_FAILED', source: { pointer: '/data/0/id' } })
    })

    it('return 403 for a prohibited replacement, and accept other changes', async () => {
      const closed = path('tracks', '4', 'playlists')
      const body = { data: [{ type: 'playlists', id: morning }] }
      expect((await client.patch(closed, body)).body.errors[0].code).to.equal('FULL_REPLACEMENT_PROHIBITED')
      expect((await client.post(closed, body, ada)).body.data).to.have.length(1)
      expect((await client.delete(closed, body, ada)).body.data).to.deep.equal([])
    })

    it('store one pair when 50 concurrent requests add it from both sides', async () => {
      const [mine, theirs] = [tracks('4'), { data: [{ type: 'playlists', id: morning }] }]
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          index % 2 ? client.post(members, mine, ada) : client.post(path('tracks', '4', 'playlists'), theirs, ada),
        ),
      )
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(50).fill(200))
      expect(await read(members)).to.deep.equal(['tracks 1', 'tracks 2', 'tracks 4'])
    })
  })

  describe('with pivot rows', () => {
    const entries = path('playlists', morning, 'orderedTracks')
    const entry = (id: string, pivot: object) => ({ type: 'tracks', id, meta: { pivot } })
    const pivots = ({ body }: ClientResponse) => body.data.map(({ id, meta }: Shown) => [id, meta.pivot.position])

    it('update stored pivot rows, create missing ones and delete removed ones when members are replaced', async () => {
      const before = await column(`select added_at::text as value from playlist_entries where track_id = 1`)
      const data = [entry('1', { position: 9, addedAt: '2001-01-01T00:00:00Z' }), entry('4', { position: 1 })]
      const answer = await client.patch(entries, { data }, ada)
      expect(pivots(answer)).to.deep.equal([
        ['1', 9],
        ['4', 1],
      ])
      expect(answer.body).to.deep.equal((await client.get(entries)).body)
      const fresh = answer.body.data[1].meta.pivot
      expect(fresh.weight).to.equal(100)
      expect(Date.now() - Date.parse(fresh.addedAt)).to.be.within(0, 60_000)
      expect(await column(`select added_at::text as value from playlist_entries where track_id = 1`)).to.deep.equal(
        before,
      )
      expect(await column(`select id as value from playlist_entries where track_id = 1`)).to.deep.equal([1])
    })

    it('keep the other pivot rows when members are added', async () => {
      const answer = await client.post(
        entries,
        { data: [entry('2', { position: 1 }), entry('4', { position: 4 })] },
        ada,
      )
      expect(pivots(answer)).to.deep.equal([
        ['1', 2],
        ['3', 1],
        ['2', 1],
        ['4', 4],
      ])
      expect(printIdentifiers(await client.delete(entries, tracks('1', '3', '4'), ada))).to.deep.equal(['tracks 2'])
    })

    it('compare pivot fields of the request with stored pivot values', async () => {
      const refused = await client.post(entries, { data: [entry('1', { position: 101 })] }, ada)
      expect(refused.status).to.equal(422)
      expect(refused.body.errors[0].source).to.deep.equal({ pointer: '/data/0/meta/pivot/position' })
      const both = { data: [entry('1', { position: 101, weight: 101 })] }
      expect((await client.post(entries, both, ada)).status).to.equal(200)
    })

    it('store one pivot row when 50 concurrent requests add the same member', async () => {
      const add = (position: number) => client.post(entries, { data: [entry('4', { position })] }, ada)
      const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => add(1 + (index % 9))))
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(50).fill(200))
      expect(await column('select track_id as value from playlist_entries where track_id = 4')).to.deep.equal([4])
    })
  })

  describe('of a polymorphic relation', () => {
    const items = path('libraries', '1', 'items')
    const named = (...names: readonly string[]) => ({
      data: names.map((name) => ({ type: name.split(' ')[0], id: name.split(' ')[1] })),
    })

    it('store members in the order of the request', async () => {
      const order = ['artists 2', 'albums 1', 'tracks 1', 'artists 1']
      expect(printIdentifiers(await client.patch(items, named(...order, 'albums 1')))).to.deep.equal(order)
      expect(await read(items)).to.deep.equal(order)
    })

    it('append added members', async () => {
      const answer = await client.post(items, named('tracks 4', 'albums 2', 'tracks 2'))
      expect(printIdentifiers(answer)).to.deep.equal(['tracks 1', 'albums 2', 'artists 1', 'tracks 4', 'tracks 2'])
    })

    it('remove the named members, and no member of another type with the same id', async () => {
      const answer = await client.delete(items, named('artists 1', 'albums 1'))
      expect(printIdentifiers(answer)).to.deep.equal(['tracks 1', 'albums 2'])
    })

    it('return 404 with the pointers of missing members of all types', async () => {
      const { status, body } = await client.post(items, named('tracks 4', 'albums 3', 'artists 4711'))
      expect(status).to.equal(404)
      expect(body.errors.map(({ source }: Shown) => source.pointer)).to.deep.equal(['/data/1', '/data/2'])
      expect(await read(items)).to.have.length(3)
    })

    it('are accepted inside a resource', async () => {
      const relationships = { items: named('albums 1', 'tracks 3') }
      const { body } = await client.post('/libraries', { data: { type: 'libraries', relationships } })
      expect(await read(path('libraries', body.data.id, 'items'))).to.deep.equal(['albums 1', 'tracks 3'])
    })
  })

  describe('of many members', () => {
    beforeEach(async () => {
      await (await testDatabase()).orm.em
        .fork()
        .insertMany(Track, bulk.map((id) => ({ id: Number(id), title: `Track ${id}`, genres: ['rock'] })) as never)
      markDirty()
    })

    const entry = (id: string, index: number) => ({ type: 'tracks', id, meta: { pivot: { position: index + 1 } } })
    const cases: readonly (readonly [name: string, of: string, toBody: (ids: readonly string[]) => object])[] = [
      ['members that hold the key', path('albums', '1', 'tracks'), (ids) => tracks(...ids)],
      ['pairs', path('playlists', morning, 'tracks'), (ids) => tracks(...ids)],
      ['association rows', path('playlists', morning, 'orderedTracks'), (ids) => ({ data: ids.map(entry) })],
      ['members of several types', path('libraries', '1', 'items'), (ids) => tracks(...ids)],
    ]
    for (const [name, of, toBody] of cases) {
      it(`send as many statements for 100 ${name} as for two`, async () => {
        for (const method of ['POST', 'DELETE', 'PATCH']) {
          const cost = (ids: readonly string[]) =>
            statementsOf(async () => {
              const { status } = await client.send(method, of, { body: toBody(ids), headers: ada })
              expect(status, method).to.equal(200)
            })
          if (method === 'DELETE') await client.post(of, toBody(bulk), ada)
          const few = await cost(bulk.slice(0, 2))
          const many = await cost(bulk)
          expect(few.length, method).to.be.within(many.length - 1, many.length + 1)
          expect(many.length, method).to.be.below(13)
        }
      })
    }

    it('send a fixed number of statements for a create with two to-ones and a to-many', async () => {
      const create = (ids: readonly string[]) =>
        statementsOf(async () => {
          const user = { data: { type: 'public-profiles', id: '1' } }
          const relationships = {
            owner: { data: { type: 'users', id: '1' } },
            publicOwner: user,
            tracks: tracks(...ids),
          }
          const data = { type: 'playlists', attributes: { title: 'New' }, relationships }
          expect((await client.post('/playlists', { data })).status).to.equal(201)
        })
      const few = await create(bulk.slice(0, 1))
      const many = await create(bulk.slice(0, 20))
      expect(many).to.have.length(few.length)
      expect(many.length).to.be.below(9)
    })
  })
})

describe('Relationship writes in a batch', () => {
  it('accept local ids of resources that the batch has created', async () => {
    const { client } = await catalogue()
    const type = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'
    const operations = [
      { op: 'add', data: { type: 'tracks', lid: 'a', attributes: { title: 'New' } } },
      {
        op: 'add',
        data: {
          type: 'albums',
          attributes: { title: 'New' },
          relationships: {
            tracks: {
              data: [
                { type: 'tracks', lid: 'a' },
                { type: 'tracks', id: '1' },
              ],
            },
          },
        },
      },
    ]
    const body = { 'atomic:operations': operations }
    const { status, body: document } = await client.post('/operations', body, { accept: type, 'content-type': type })
    expect(status).to.equal(200)
    const [track, album] = document['atomic:results'].map(({ data }: Shown) => data.id)
    expect(printIdentifiers(await client.get(`/albums/${album}/relationships/tracks`))).to.deep.equal([
      'tracks 1',
      `tracks ${track}`,
    ])
  })
})

describe('Hooks of a relationship write', () => {
  it('receive the parent, the identifiers and the mode, before and after the commit', async () => {
    const told: string[] = []
    const tell = (moment: string, { name }: Shelf, { relation, mode, linkage }: RelationHookContext) =>
      void told.push(`${moment} ${mode} ${name} ${relation.name} ${linkage.map(({ id }) => id)}`)
    const shelves = defineResource(Shelf, {
      type: 'shelves',
      fields: ({ id, hasMany }) => [id(), hasMany('books', 'books')],
      beforeRelationshipMutate: (shelf, ctx) => tell('before', shelf, ctx),
      afterRelationshipMutate: (shelf, ctx) => {
        tell('after', shelf, ctx)
        return undefined
      },
    })
    const books = defineResource(Book, { type: 'books', fields: ({ id }) => [id()] })
    const resources = [shelves, books].map((resource) => ({
      file: 'test/template/kernel/writes/relationship-writes.test.ts',
      resource,
    }))
    await emptyLibrary()
    const connection = (await libraryDatabase()).orm.em.getConnection()
    await connection.execute(`insert into shelves (name) values ('Fiction')`)
    await connection.execute(`insert into books (title) values ('Emma')`)
    const library = await startLibrary({ resources })
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      const { status } = await library.client.send(method, '/shelves/1/relationships/books', {
        body: { data: [{ type: 'books', id: '1' }] },
      })
      expect(status).to.equal(200)
    }
    await library.close()
    const modes = ['add', 'replace', 'remove']
    const moments = modes.flatMap((mode) => [`before ${mode}`, `after ${mode}`])
    expect(told).to.deep.equal(moments.map((moment) => `${moment} Fiction books 1`))
  })
})

describe('A member that is deleted concurrently', () => {
  it('returns 404 with the pointer of its identifier for every kind of relation', async () => {
    const removeTrack: Plugin = {
      name: 'remove-track',
      plan({ type, beforeSave }) {
        if (type?.name === 'tracks') return // else tracks are locked before the step runs
        beforeSave.push(async ({ context: { unit } }) => {
          await unit.em.nativeDelete(Track, { id: 4 })
        })
      },
    }
    const app = await startApp({ plugins: [...plugins, removeTrack] })
    const data = [
      { type: 'tracks', id: '1' },
      { type: 'tracks', id: '4' },
    ]
    const answers = [
      await app.client.post('/albums/1/relationships/tracks', { data }),
      await app.client.post('/playlists', {
        data: { type: 'playlists', attributes: { title: 'x' }, relationships: { tracks: { data } } },
      }),
    ]
    await app.close()
    const sources = answers.map(({ status, body }) => [status, body.errors[0].code, body.errors[0].source.pointer])
    expect(sources).to.deep.equal([
      [404, 'RESOURCE_NOT_FOUND', '/data/1'],
      [404, 'RESOURCE_NOT_FOUND', '/data/relationships/tracks/data/1'],
    ])
    expect(await column('select id as value from tracks where id = 4')).to.deep.equal([4])
  })
})

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents freely
type Shown = any

function printIdentifiers({ status, body }: ClientResponse): string[] {
  expect(status).to.equal(200)
  return body.data.map(({ type, id }: Shown) => `${type} ${id}`)
}

async function execute(sql: string): Promise<void> {
  await (await testDatabase()).orm.em.getConnection().execute(sql)
  markDirty()
}

async function column(sql: string): Promise<unknown[]> {
  const rows = await (await testDatabase()).orm.em.getConnection().execute<{ value: unknown }[]>(sql)
  return rows.map(({ value }) => value)
}
