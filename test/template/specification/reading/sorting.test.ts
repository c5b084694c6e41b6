import { expect } from 'chai'
import type { TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { startLibrary } from '#test/template/support/library/index.ts'
import { fillLibrary } from '../library-rows.ts'
import { expectError, readFaults, readIds } from '../support.ts'

// https://jsonapi.org/format/1.1/#fetching-sorting

const bySort = { parameter: 'sort' }

describe('Sorting', () => {
  let client: Client
  let library: TestApp

  before(async () => {
    client = (await catalogue()).client
    await fillLibrary()
    library = await startLibrary()
  })

  after(() => library.close())

  const orderOf = async (path: string, reader = client) => {
    const { status, body, text } = await reader.get(path)
    expect(status, text).to.equal(200)
    return readIds(body.data)
  }
  const tracksBy = (sort: string) => orderOf(`/tracks?filter[explicit]=&sort=${sort}`)
  const booksBy = (sort: string) => orderOf(`/books?sort=${sort}`, library.client)

  it('SRT-01 uses the default order of the type, or the order of the ids, when sort is absent', async () => {
    expect(await orderOf('/albums'), 'newest first').to.deep.equal(['1', '2'])
    expect(await orderOf('/tracks?filter[explicit]=')).to.deep.equal(['1', '2', '3', '4'])
  })

  it('SRT-01 uses the default order of the related type at a related endpoint, and the order of the ids in included linkage', async () => {
    const attributes = { title: 'Kid A', releasedAt: '2000-10-02T00:00:00Z' }
    const relationships = { artist: { data: { type: 'artists', id: '1' } } }
    const { body } = await client.post('/albums', { data: { type: 'albums', attributes, relationships } })
    const { id } = body.data
    expect(await orderOf('/artists/1/albums'), 'newest first').to.deep.equal([id, '1'])
    const included = await client.get('/artists/1?include=albums')
    expect(readIds(included.body.data.relationships.albums.data)).to.deep.equal(['1', id])
    expect(await orderOf('/artists/1/relationships/albums')).to.deep.equal(['1', id])
  })

  it('SRT-01 treats an empty sort as absent', async () => {
    for (const query of ['sort=', 'sort=,%20,']) expect(await orderOf(`/albums?${query}`)).to.deep.equal(['1', '2'])
  })

  it('SRT-01 sorts by a declared key that is not an attribute', async () => {
    expect(await booksBy('size')).to.deep.equal(['4', '2', '1', '3'])
  })

  it('SRT-02 applies several keys in the given order', async () => {
    expect(await tracksBy('trackNumber,-title')).to.deep.equal(['4', '1', '2', '3'])
    expect(await tracksBy('trackNumber,title')).to.deep.equal(['1', '4', '2', '3'])
    expect(await tracksBy('-title,trackNumber')).to.deep.equal(['2', '4', '3', '1'])
  })

  it('SRT-02 applies a repeated key once', async () => {
    const statements = await statementsOf(() => tracksBy(`-title,title,${'trackNumber,'.repeat(8)}`))
    const [, order = ''] = statements[0]?.sql.split(' order by ') ?? []
    expect(order.split(',')).to.have.length(3)
    const response = await client.get(`/tracks?sort=${'nope,-nope,'.repeat(5)}`)
    expectError(response, 400, 'SORTING_UNRECOGNIZED', bySort)
  })

  it('SRT-02 ignores empty keys and surrounding spaces', async () => {
    expect(await tracksBy(',%20trackNumber%20,,-title')).to.deep.equal(['4', '1', '2', '3'])
  })

  it('SRT-03 sorts ascending, and descending after a hyphen', async () => {
    expect(await tracksBy('title')).to.deep.equal(['1', '3', '4', '2'])
    expect(await tracksBy('-title')).to.deep.equal(['2', '4', '3', '1'])
  })

  it('SRT-03 replaces the default order completely', async () => {
    expect(await orderOf('/albums?sort=status')).to.deep.equal(['1', '2'])
    expect(await orderOf('/albums?sort=-status')).to.deep.equal(['2', '1'])
  })

  it('SRT-03 sorts null as the largest value', async () => {
    expect(await booksBy('rating')).to.deep.equal(['3', '4', '1', '2'])
    expect(await booksBy('-rating')).to.deep.equal(['2', '1', '4', '3'])
  })

  it('SRT-03 breaks ties by the id, in the direction of the last key', async () => {
    expect(await tracksBy('trackNumber')).to.deep.equal(['1', '4', '2', '3'])
    expect(await tracksBy('-trackNumber')).to.deep.equal(['3', '2', '4', '1'])
    expect(await booksBy('-rating,position')).to.deep.equal(['2', '1', '3', '4'])
  })

  it('SRT-03 sorts related collections and linkage', async () => {
    expect(await orderOf('/albums/1/tracks?filter[explicit]=&sort=-trackNumber')).to.deep.equal(['3', '2'])
    expect(await orderOf('/albums/1/relationships/tracks?filter[explicit]=&sort=-trackNumber')).to.deep.equal([
      '3',
      '2',
    ])
    expect(await orderOf('/shelves/1/allBooks?sort=title', library.client)).to.deep.equal(['1', '2', '3'])
    expect(await orderOf('/shelves/1/relationships/allBooks?sort=-title', library.client)).to.deep.equal([
      '3',
      '2',
      '1',
    ])
  })

  it('SRT-03 joins the lists of repeated parameters', async () => {
    expect(await tracksBy('trackNumber&sort=-title')).to.deep.equal(['4', '1', '2', '3'])
  })

  it('SRT-04 returns 400 naming the parameter when a field is not sortable', async () => {
    for (const key of ['nope', 'explicit', 'durationSeconds', 'id', 'Title', '-', '--title', 'constructor', 'album']) {
      const response = await client.get(`/tracks?sort=${key}`)
      expectError(response, 400, 'SORTING_UNRECOGNIZED', bySort)
      expect(response.body.errors[0].detail).to.contain(`'${key.replace(/^-/, '')}'`)
    }
  })

  it('SRT-04 returns an error for every key that is not sortable', async () => {
    const response = await client.get('/tracks?sort=nope,title,-nada')
    expect(response.status).to.equal(400)
    expect(readFaults(response)).to.deep.equal([
      { code: 'SORTING_UNRECOGNIZED', source: bySort },
      { code: 'SORTING_UNRECOGNIZED', source: bySort },
    ])
  })

  it('SRT-04 returns 400 when the type has no sortable fields', async () => {
    expectError(await library.client.get('/labels?sort=text'), 400, 'SORTING_UNSUPPORTED', bySort)
  })

  it('SRT-04 returns 400 when the response is a single resource', async () => {
    const data = { type: 'artists', attributes: { name: 'Air' } }
    const responses = [
      await client.get('/artists/1?sort=name'),
      await client.post('/artists?sort=name', { data }),
      await client.patch('/artists/1?sort=name', { data: { ...data, id: '1' } }),
      await client.delete('/artists/1?sort=name'),
    ]
    for (const response of responses) expectError(response, 400, 'SORTING_UNSUPPORTED', bySort)
  })

  it('SRT-04 returns 400 QUERY_PARAM_UNRECOGNIZED when the relationship is to-one', async () => {
    const data = { type: 'artists', id: '2' }
    const responses = [
      await client.get('/albums/1/artist?sort=name'),
      await client.get('/albums/1/relationships/artist?sort=name'),
      await client.patch('/albums/1/relationships/artist?sort=name', { data }),
    ]
    for (const response of responses) expectError(response, 400, 'QUERY_PARAM_UNRECOGNIZED', bySort)
  })

  it('SRT-04 returns 400 for a sort that is not a string', async () => {
    for (const query of ['sort[]=title', 'sort[title]=asc', 'sort[a][b][c][d][e][f]=title']) {
      expectError(await client.get(`/tracks?${query}`), 400, 'QUERY_PARAM_MALFORMED', bySort)
    }
  })

  it('SRT-05 returns 400 for a related attribute that no type declares as a sort key', async () => {
    expectError(await client.get('/albums?sort=artist.name'), 400, 'SORTING_UNRECOGNIZED', bySort)
  })
})
