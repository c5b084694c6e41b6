import { expect } from 'chai'
import type { TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { type Client, mediaType } from '#test/support/client.ts'
import { startLibrary } from '#test/template/support/library/index.ts'
import { fillLibrary } from '../library-rows.ts'
import { expectError, readIds } from '../support.ts'

// https://jsonapi.org/format/1.1/#fetching

describe('Fetching resources', () => {
  let client: Client
  let library: TestApp

  before(async () => {
    client = (await catalogue()).client
    await fillLibrary()
    library = await startLibrary()
  })

  after(() => library.close())

  it('FET-01 FET-06 returns 200 for every link in the catalogue', async () => {
    const { app } = await catalogue()
    const collections = app.servers.flatMap(({ prefix, types }) =>
      [...types.values()]
        .filter(({ operations }) => operations.has('FetchCollection'))
        .map(({ uriType }) => `${prefix}/${uriType}`),
    )
    const others = ['/tracks?page[size]=1', '/export-jobs/job-completed']
    const visited = await crawl(client, [...collections, ...others], /\/playlists\/.*\/owner$|\/export-jobs$/)
    expect(visited).to.include(`${client.url}/albums/1/relationships/tracks`)
    expect(visited).to.include(`${client.url}/admin/albums/2/relationships/artist`)
    expect(visited).to.include(`${client.url}/tracks?page%5Bnumber%5D=3&page%5Bsize%5D=1`)
    expect(visited).to.include(`${client.url}/catalog-exports/1`)
  })

  it('FET-01 FET-06 returns 200 for every link in the library', async () => {
    const visited = await crawl(library.client, ['/shelves?include=books', '/books?page[size]=2', '/tags', '/labels'])
    expect(visited).to.include(`${library.client.url}/shelves/1/label`)
    expect(visited.filter((url) => url.includes('page%5Bafter%5D'))).not.to.be.empty
  })

  it('FET-02 returns 200 with an array of resource objects for a collection', async () => {
    const { status, body } = await client.get('/albums')
    expect(status).to.equal(200)
    expect(readIds(body.data)).to.deep.equal(['1', '2'])
    expect(body.data[0].attributes.title).to.equal('OK Computer')
  })

  it('FET-02 returns 200 with an empty array for an empty collection', async () => {
    const { status, body } = await library.client.get('/shelves/2/books')
    expect(status).to.equal(200)
    expect(body.data).to.deep.equal([])
  })

  it('FET-03 returns 200 with the resource object for a single resource', async () => {
    const { status, body } = await client.get('/artists/1')
    expect(status).to.equal(200)
    expect(body.data).to.include({ type: 'artists', id: '1' })
    expect(body.data.attributes).to.include({ name: 'Radiohead', createdAt: '2001-05-01T09:00:00+00:00' })
    expect(body.data.links).to.deep.equal({ self: `${client.url}/artists/1` })
    expect(body.data.relationships).to.deep.equal({
      albums: {
        links: { self: `${client.url}/artists/1/relationships/albums`, related: `${client.url}/artists/1/albums` },
      },
    })
  })

  it('FET-03 returns 200 with null for an empty to-one relationship', async () => {
    for (const path of ['/books/4/shelf', '/shelves/2/label']) {
      const { status, body } = await library.client.get(path)
      expect(status, path).to.equal(200)
      expect(body.data, path).to.equal(null)
    }
  })

  it('FET-03 returns the full related resource of a to-one relationship, with its own self link', async () => {
    const { status, body } = await client.get('/albums/1/artist')
    expect(status).to.equal(200)
    expect(body.links).to.deep.equal({ self: `${client.url}/albums/1/artist` })
    expect(body.data.attributes.name).to.equal('Radiohead')
    expect(body.data.links.self).to.equal(`${client.url}/artists/1`)
  })

  it('FET-03 returns the related resource of the inverse side of a one-to-one relation', async () => {
    const { body } = await library.client.get('/shelves/1/label')
    expect(body.data.attributes).to.deep.equal({ text: 'F' })
  })

  it('FET-03 returns the related resources of a to-many relationship with page links under the related URL', async () => {
    const { body } = await client.get('/albums/1/tracks?filter[explicit]=')
    expect(readIds(body.data)).to.deep.equal(['1', '2'])
    expect(body.meta.page).to.include({ currentPage: 1, perPage: 2 })
    const next = 'filter%5Bexplicit%5D=&page%5Bnumber%5D=2&page%5Bsize%5D=2'
    expect(body.links.next).to.equal(`${client.url}/albums/1/tracks?${next}`)
  })

  it('FET-03 returns all related resources and their total when the relation has no pagination', async () => {
    const { body } = await library.client.get('/shelves/1/allBooks')
    expect(readIds(body.data), 'in the order mapped on the collection').to.deep.equal(['1', '2', '3'])
    expect(body.meta).to.deep.equal({ total: 3 })
    expect(body.links).to.have.all.keys('self')
  })

  it('FET-04 returns 404 when the resource does not exist', async () => {
    for (const path of ['/albums/4711', '/albums/nope', '/albums/4711/artist', '/albums/nope/tracks']) {
      expectError(await client.get(path), 404, 'RESOURCE_NOT_FOUND')
    }
  })

  it('FET-04 returns 404 on every path when the scope hides the resource', async () => {
    for (const path of ['/albums/3', '/albums/3/artist', '/albums/3/relationships/tracks', '/admin/albums/3']) {
      expectError(await client.get(path), 404, 'RESOURCE_NOT_FOUND')
    }
  })

  it('FET-07 returns linkage as an identifier or a list at the relationship endpoint', async () => {
    const toOne = await client.get('/albums/1/relationships/artist')
    expect(toOne.status).to.equal(200)
    expect(toOne.body.data).to.deep.equal({ type: 'artists', id: '1' })
    const toMany = await client.get('/artists/1/relationships/albums')
    expect(toMany.body.data).to.deep.equal([{ type: 'albums', id: '1' }])
  })

  it('FET-07 returns all linkage without a page parameter when the related collection is paginated', async () => {
    const { body } = await client.get('/albums/1/relationships/tracks')
    expect(readIds(body.data)).to.deep.equal(['1', '2', '3'])
    expect(body).not.to.have.property('meta')
    expect(body.links).to.have.all.keys('self', 'related')
  })

  it('FET-07 returns a page of linkage without meta when page is given', async () => {
    const { body } = await client.get('/albums/1/relationships/tracks?filter[explicit]=&page[number]=2')
    expect(readIds(body.data)).to.deep.equal(['3'])
    expect(body).not.to.have.property('meta')
    const prev = 'filter%5Bexplicit%5D=&page%5Bnumber%5D=1&page%5Bsize%5D=2'
    expect(body.links.prev).to.equal(`${client.url}/albums/1/relationships/tracks?${prev}`)
    expect(body.links).not.to.have.any.keys('next', 'last')
  })

  it('FET-07 sorts linkage and ignores page when the relation has no pagination', async () => {
    const path = '/shelves/1/relationships/allBooks?sort=-title&page[size]=1'
    const { body } = await library.client.get(path)
    expect(readIds(body.data)).to.deep.equal(['3', '2', '1'])
    expect(body).not.to.have.property('meta')
    expect(body.links).to.have.all.keys('self', 'related')
  })

  it('FET-08 returns self and related links with linkage', async () => {
    const { body } = await client.get('/albums/1/relationships/artist')
    expect(body.links).to.deep.equal({
      self: `${client.url}/albums/1/relationships/artist`,
      related: `${client.url}/albums/1/artist`,
    })
  })

  it('FET-09 returns 404 when the relationship does not exist', async () => {
    for (const path of ['/albums/1/relationships/nope', '/albums/1/nope', '/albums/1/title', '/albums/nope/nope']) {
      expectError(await client.get(path), 404, 'RELATIONSHIP_NOT_EXISTS')
    }
  })

  it('FET-05 returns a title and a detail with every error of a read', async () => {
    const refused: readonly [path: string, accept: string, status: number][] = [
      ['/albums?sort=nope', mediaType, 400],
      ['/albums?filter[nope]=1', mediaType, 400],
      ['/albums/4711', mediaType, 404],
      ['/albums/1/nope', mediaType, 404],
      ['/albums', 'text/html', 406],
    ]
    for (const [path, accept, status] of refused) {
      const response = await client.get(path, { accept })
      expect(response.status, path).to.equal(status)
      for (const error of response.body.errors) {
        expect(error.title, path).to.be.a('string').that.is.not.empty
        expect(error.detail, path).to.be.a('string').that.is.not.empty
      }
    }
  })

  it('FET-09 returns 404 when the parent of the relationship does not exist', async () => {
    expectError(await client.get('/albums/4711/relationships/tracks'), 404, 'RESOURCE_NOT_FOUND')
  })

  it('FET-10 returns 200 with null or an empty array for an empty relationship', async () => {
    const toOne = await library.client.get('/books/4/relationships/shelf')
    expect(toOne.status).to.equal(200)
    expect(toOne.body.data).to.equal(null)
    const toMany = await library.client.get('/shelves/2/relationships/books')
    expect(toMany.status).to.equal(200)
    expect(toMany.body.data).to.deep.equal([])
  })
})

/**
 * Follows every link, except those of actions, of every document reached from the paths and returns the fetched URLs. Expects 401 for the secured
 * URLs, and a redirect from a finished job to its result.
 */
async function crawl(client: Client, paths: readonly string[], secured = /^$/): Promise<string[]> {
  const visited = new Set(paths.map((path) => client.url + path))
  for (const url of visited) {
    const { status, body, headers } = await client.get(url)
    const result = headers.get('location')
    expect(status, url).to.equal(secured.test(url) ? 401 : result ? 303 : 200)
    for (const link of result ? [result] : linksIn(body)) if (!link.includes('/-actions/')) visited.add(link)
  }
  return [...visited]
}

function linksIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) =>
    key === 'links' ? Object.values(child as Record<string, string>) : linksIn(child),
  )
}
