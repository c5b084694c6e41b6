import { expect } from 'chai'
import { Track } from '#resources/tracks/entity.ts'
import { markDirty, type TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { testDatabase } from '#test/support/database.ts'
import { as } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

// The exact number of statements of relationship writes, which does not depend on the number of members.

const morning = '00000000-0000-4000-8000-000000000001'
const bulk = Array.from({ length: 100 }, (_, index) => String(1001 + index))
const entry = (id: string, index: number) => ({ type: 'tracks', id, meta: { pivot: { position: index + 1 } } })
const track = (id: string) => ({ type: 'tracks', id })

describe('POST /{type}/{id}/relationships/{rel} of a many-to-many without hooks and policies', () => {
  let library: TestApp
  const red = { type: 'tags', id: '11111111-1111-4111-8111-111111111111' }
  const path = '/books/1/relationships/tags'
  const post = async (data: object[], expected: number) => {
    const statements = await statementsOf(async () => {
      const { status, text } = await library.client.post(path, { data })
      expect(status, text).to.equal(expected)
    })
    return statements.map(({ sql }) => sql.split(' ')[0]).join(' ')
  }
  before(async () => {
    await emptyLibrary()
    const connection = (await libraryDatabase()).orm.em.getConnection()
    await connection.execute("insert into books (title) values ('Emma')")
    await connection.execute(`insert into tags (id, name) values ('${red.id}', 'red')`)
    library = await startLibrary()
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  it('locks the parent, checks members and adds them in one statement', async () => {
    expect(await post([red], 200)).to.equal('with select')
    expect(await post([red, red], 200)).to.equal('with select')
    expect((await library.client.get(path)).body.data).to.deep.equal([red])
  })

  it('adds nothing and returns 404 when a member is missing', async () => {
    const missing = { type: 'tags', id: '00000000-0000-4000-8000-000000000404' }
    expect(await post([red, missing], 404)).to.equal('with select select')
    expect((await library.client.get(path)).body.data).to.deep.equal([red])
  })
})

describe('Statements of relationship writes', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })
  beforeEach(async () => {
    const rows = bulk.map((id) => ({ id: Number(id), title: `Track ${id}`, genres: ['rock'] }))
    await (await testDatabase()).orm.em.fork().insertMany(Track, rows)
    markDirty()
  })

  const verbsOf = async (method: string, path: string, body: object, expected = 200) => {
    const statements = await statementsOf(async () => {
      const { status, text } = await client.send(method, path, { body, headers: as('ada@example.com') })
      expect(status, text).to.equal(expected)
    })
    return statements.map(({ sql }) => sql.split(' ')[0]).join(' ')
  }

  const added: readonly (readonly [
    what: string,
    path: string,
    toMember: typeof entry | typeof track,
    verbs: string,
  ])[] = [
    ['members of a has-many', '/albums/1/relationships/tracks', track, 'select select select update select'],
    [
      'pairs of a join table',
      `/playlists/${morning}/relationships/tracks`,
      track,
      'select select select insert select',
    ],
    [
      'pivot rows',
      `/playlists/${morning}/relationships/orderedTracks`,
      entry,
      'select select select select select insert select',
    ],
    [
      'members of a polymorphic relation',
      '/libraries/1/relationships/items',
      track,
      'select select select insert select select select select',
    ],
  ]
  for (const [what, path, toMember, verbs] of added) {
    for (const count of [10, 100]) {
      it(`are ${verbs.split(' ').length} to add ${count} ${what}`, async () => {
        expect(await verbsOf('POST', path, { data: bulk.slice(0, count).map(toMember) })).to.equal(verbs)
      })
    }
  }

  it('are four to add pairs of a join table when the members have a policy', async () => {
    const path = '/tracks/3/relationships/playlists'
    const member = { type: 'playlists', id: morning }
    expect(await verbsOf('POST', path, { data: [member] })).to.equal('select select insert select')
    expect(await verbsOf('POST', path, { data: [member, member] })).to.equal('select select insert select')
    expect((await client.get(path)).body.data).to.deep.equal([member])
  })

  for (const count of [1, 20]) {
    it(`are six to create a resource with two to-ones and ${count} members of a to-many`, async () => {
      const relationships = {
        owner: { data: { type: 'users', id: '1' } },
        publicOwner: { data: { type: 'public-profiles', id: '1' } },
        tracks: { data: bulk.slice(0, count).map(track) },
      }
      const data = { type: 'playlists', attributes: { title: 'New' }, relationships }
      expect(await verbsOf('POST', '/playlists', { data }, 201)).to.equal('select select select insert insert select')
    })

    it(`are seven to update a resource with a to-one and ${count} members of a to-many`, async () => {
      const relationships = {
        artist: { data: { type: 'artists', id: '2' } },
        tracks: { data: bulk.slice(0, count).map(track) },
      }
      const data = { type: 'albums', id: '1', attributes: { title: 'Changed' }, relationships }
      expect(await verbsOf('PATCH', '/albums/1?include=', { data })).to.equal(
        'select select select update select update select',
      )
    })
  }
})
