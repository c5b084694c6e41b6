import { EntityFactory, Utils } from '@mikro-orm/core'
import { expect } from 'chai'
import { observeStatements, type Statement } from '#store'
import { markDirty, takeDirty } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { testDatabase } from '#test/support/database.ts'
import { selectedColumns, statementsOf } from '#test/support/statements.ts'
import { collectionReads, loadLargeCatalogue, singleReads, writes } from '#test/template/support/budget.ts'

// Statements are counted in the database driver: their number never depends on the number of rows.

const morning = '00000000-0000-4000-8000-000000000001'

describe('Statements of a read', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
    await loadLargeCatalogue()
  })
  after(markDirty)

  const read = async (path: string) => {
    const statements = await statementsOf(async () => expect((await client.get(path)).status).to.equal(200))
    return statements.map(({ sql }) => sql)
  }

  it('selects only the rendered columns with one statement for a page of 50 albums', async () => {
    const { body } = await client.get('/albums?page[size]=50&include=')
    expect(body.data).to.have.length(50)
    const statements = await read('/albums?page[size]=50&include=')
    expect(statements).to.have.length(1)
    expect(selectedColumns(statements[0])).to.deep.equal([
      'id',
      'title',
      'average_rating',
      'artwork',
      'released_at',
      'explicit',
      'status',
      'available_from',
      'available_until',
      'label',
      'catalogue_number',
      'artist_id',
    ])
  })

  it('binds every value as a parameter', async () => {
    const paths = [
      '/albums?page[size]=7&page[number]=3&sort=-title,releasedAt',
      '/albums?include=tracks,artist',
      '/albums/101?include=tracks',
      '/albums/101/tracks?page[size]=1&page[number]=2',
      '/albums/101/relationships/tracks?sort=-title',
      '/artists/101/albums',
      '/tracks/101/album',
    ]
    for (const path of paths) for (const sql of await read(path)) expect(findLiterals(sql), sql).to.deep.equal([])
    const [page] = await statementsOf(() => client.get('/albums?page[size]=7&page[number]=3&include='))
    expect(page?.parameters).to.deep.equal([true, 8, 14])
  })

  it('creates no entity for reads and direct writes, and creates one when the policy of a write needs it', async () => {
    const paths = [
      '/albums?page[size]=50&include=tracks,artist',
      '/albums/101',
      '/albums/101/tracks',
      '/albums/101/relationships/tracks',
    ]
    for (const path of paths) expect(await hydratedBy(() => client.get(path)), path).to.deep.equal([])
    const album = { data: { type: 'albums', id: '101', attributes: {} } }
    expect(await hydratedBy(() => client.patch('/albums/101', album))).to.deep.equal([])
    const playlist = { data: { type: 'playlists', id: morning, attributes: {} } }
    expect(await hydratedBy(() => client.patch(`/playlists/${morning}`, playlist))).to.include('Playlist')
    takeDirty()
  })

  it('selects only the columns of a fieldset, in included resources too', async () => {
    const [albums, tracks] = await read('/albums?fields[albums]=title,tracks&fields[tracks]=explicit&include=tracks')
    expect(selectedColumns(albums)).to.deep.equal(['id', 'title'])
    expect(selectedColumns(tracks)).to.deep.equal(['id', 'explicit', 'album_id'])
  })

  it('selects the columns that a computed field needs', async () => {
    const [tracks] = await read('/tracks?fields[tracks]=displayTitle')
    expect(selectedColumns(tracks)).to.deep.equal(['id', 'track_number', 'title'])
  })

  it('selects only keys for linkage', async () => {
    const [parent, linkage] = await read('/artists/101/relationships/albums')
    expect(selectedColumns(parent)).to.deep.equal(['id'])
    expect(selectedColumns(linkage)).to.deep.equal(['id', 'artist_id'])
  })

  it('runs one statement for a lazy to-many relation, which is not loaded', async () => {
    expect(await read('/artists?page[size]=50&fields[artists]=name,albums')).to.have.length(1)
  })

  it('runs one more statement when a provider completes the rows, and none when its field is not rendered', async () => {
    const [, counts, ...rest] = await read('/artists?page[size]=50')
    expect(rest).to.deep.equal([])
    expect(counts).to.match(/^select .* count\(.*"published" = \$\d+::bool.* group by /)
    expect(await read('/artists/101?fields[artists]=name')).to.have.length(1)
    expect(await read('/albums/101/relationships/artist')).to.have.length(2)
  })

  it('checks the visibility of a to-one target in the same statement', async () => {
    const [tracks, ...rest] = await read('/tracks?page[size]=50&fields[tracks]=title,album')
    expect(rest).to.deep.equal([])
    expect(tracks).to.match(/\(select \w+\."id" from "albums" \w+ where .*"published" = \$\d+::bool\) as "#key:album"/)
  })

  for (const [path, count] of collectionReads) {
    it(`runs ${count} statements for ${path}, over 5 rows and over 50`, async () => {
      const separator = path.includes('?') ? '&' : '?'
      for (const size of [5, 50]) {
        const { body } = await client.get(`${path}${separator}page[size]=${size}`)
        expect(body.data).to.have.length(size)
        expect(await read(`${path}${separator}page[size]=${size}`)).to.have.length(count)
      }
    })
  }

  for (const [path, count] of singleReads) {
    it(`runs ${count} statements for ${path}`, async () => {
      expect(await read(path)).to.have.length(count)
    })
  }

  it('runs no statement when the URL or the query is invalid', async () => {
    const paths: Readonly<Record<string, number>> = {
      '/albums/abc': 404,
      '/albums/99999999999': 404,
      '/albums?sort=nothing': 400,
      '/albums?nothing=1': 400,
      '/albums/1/nothing': 404,
    }
    for (const [path, status] of Object.entries(paths)) {
      const statements = await statementsOf(async () => expect((await client.get(path)).status).to.equal(status))
      expect(statements, path).to.deep.equal([])
    }
  })
})

describe('Statements of a write', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  it('updates a resource with two statements: a locking select within the scope and an update', async () => {
    const body = { data: { type: 'albums', id: '1', attributes: { title: 'Changed' } } }
    const path = '/albums/1?include='
    const statements = await statementsOf(async () => expect((await client.patch(path, body)).status).to.equal(200))
    const [load, update, ...rest] = statements.map(({ sql }) => sql)
    expect(rest).to.deep.equal([])
    expect(load).to.match(/"published" = \$\d+::bool for no key update of t0$/)
    expect(update).to.match(
      /^update "albums" as t0 set "title" = \$\d+::text where t0."id" = \$\d+::text::int4 returning t0."id"/,
    )
  })

  for (const { title, method, path, body, headers = {}, status, statements, serverStatements } of writes) {
    it(title, async () => {
      const { kind } = await testDatabase()
      const send = () => client.send(method, path, { headers, ...(body && { body }) })
      const expected = (kind === 'server' && serverStatements) || statements
      expect(await recordVerbs(send, status)).to.deep.equal(expected)
    })
  }
})

/** Returns the literal values of a statement: strings, and numbers that are neither aliases nor placeholders. */
function findLiterals(sql: string): string[] {
  const bare = sql.replace(/"(?:[^"]|"")*"/g, '').replace(/\$\d+(::\w+(\[\])?)?|\bt\d+\b/g, '')
  return bare.match(/'[^']*'|\b\d[\d.]*\b/g) ?? []
}

/** Returns the names of the entities that MikroORM creates while the function runs. */
async function hydratedBy(run: () => Promise<unknown>): Promise<string[]> {
  const { create } = EntityFactory.prototype
  const names = new Set<string>()
  EntityFactory.prototype.create = function (this: EntityFactory, ...args: Parameters<typeof create>) {
    names.add(Utils.className(args[0]))
    return create.apply(this, args)
  } as typeof create
  await run().finally(() => {
    EntityFactory.prototype.create = create
  })
  return [...names]
}

/** Returns the first word of every statement, `begin` and `commit` included. */
async function recordVerbs(
  run: () => Promise<{ readonly status: number }>,
  status: number,
): Promise<(string | undefined)[]> {
  const statements: Statement[] = []
  const end = observeStatements((statement) => statements.push(statement))
  const response = await run().finally(end)
  expect(response.status).to.equal(status)
  return statements.map(({ sql }) => sql.split(' ')[0])
}
