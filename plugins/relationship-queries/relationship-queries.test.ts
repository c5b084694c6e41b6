import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource } from '#kernel'
import { cursor } from '#plugins/pagination/index.ts'
import { startApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { type Client, type ClientResponse, mediaType } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { relationshipQueriesProfileUri as profile } from './index.ts'

const accept = { accept: `${mediaType}; profile="${profile}"` }
const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id)

describe('Relationship queries', () => {
  let client: Client
  const get = (path: string) => client.get(path, accept)
  const tracksOf = ({ body }: ClientResponse) => body.data.relationships.tracks

  before(async () => {
    client = (await catalogue()).client
  })

  describe('with the profile', () => {
    it('returns the first page of an included to-many, and includes only its members', async () => {
      const answer = await get('/albums/1?include=tracks')
      expect(ids(tracksOf(answer).data)).to.deep.equal(['1', '3'])
      expect(ids(answer.body.included)).to.deep.equal(['1', '3'])
      expect(answer.body.jsonapi.profile).to.deep.equal([profile])
      expect(answer.headers.get('content-type')).to.equal(`${mediaType}; profile="${profile}"`)
    })

    it('returns the first page when a longer include path reaches the same resource, in either order', async () => {
      for (const paths of ['tracks,artist.albums.tracks', 'artist.albums.tracks,tracks']) {
        const { body } = await get(`/albums?include=${paths}`)
        expect(ids(body.data[0].relationships.tracks.data), paths).to.deep.equal(['1', '3'])
        const tracks = body.included.filter(({ type }: { type: string }) => type === 'tracks')
        expect(ids(tracks), paths).to.have.members(['1', '3', '4'])
      }
    })

    it('filters the members, and keeps the filter in the page links of the relationship', async () => {
      const answer = await get('/albums/1?include=tracks&relatedQuery[tracks][filter][explicit]=true')
      expect(ids(tracksOf(answer).data)).to.deep.equal(['2'])
      const { first, self } = tracksOf(answer).links
      expect(first).to.equal(`${self}?filter%5Bexplicit%5D=true&page%5Bnumber%5D=1&page%5Bsize%5D=2`)
      expect(ids((await client.get(first)).body.data)).to.deep.equal(['2'])
    })

    it('sorts the members, and links to the next page in the same order', async () => {
      const query = 'rQ[tracks][sort]=-duration&rQ[tracks][filter][explicit]='
      const answer = await get(`/albums/1?include=tracks&${query}`)
      expect(ids(tracksOf(answer).data)).to.deep.equal(['2', '1'])
      const next = await client.get(tracksOf(answer).links.next)
      expect(ids(next.body.data)).to.deep.equal(['3'])
    })

    it('prefers relatedQuery to rQ, in either order', async () => {
      const long = 'relatedQuery[tracks][sort]=duration'
      const short = 'rQ[tracks][sort]=-duration'
      for (const query of [`${long}&${short}`, `${short}&${long}`]) {
        expect(ids(tracksOf(await get(`/albums/1?include=tracks&${query}`)).data)).to.deep.equal(['3', '1'])
      }
    })

    it('returns null for a to-one whose target is filtered out, and does not include the target', async () => {
      const query = 'relatedQuery[artist][filter][name]=Portishead'
      for (const include of ['', '&include=artist']) {
        const { body } = await get(`/albums?${query}${include}`)
        const linkage = body.data.map((album: { relationships: { artist: object } }) => album.relationships.artist)
        expect(linkage.map(({ data }: { data: object | null }) => data)).to.deep.equal([
          null,
          { type: 'artists', id: '2' },
        ])
        expect(ids(body.included ?? [])).to.deep.equal(['2'])
      }
    })

    it('applies the filter to the count of a relation', async () => {
      const { body } = await get('/albums/1?withCount=tracks&relatedQuery[tracks][filter][longerThan]=270')
      expect(body.data.relationships.tracks.meta).to.deep.equal({ total: 1 })
    })

    it('links to the last page of a relation that withCount counts', async () => {
      const answer = await get('/albums/1?include=tracks&withCount=tracks&rQ[tracks][filter][explicit]=')
      const { links, meta } = tracksOf(answer)
      expect(meta).to.deep.equal({ total: 3 })
      expect(links.last).to.equal(`${links.self}?filter%5Bexplicit%5D=&page%5Bnumber%5D=2&page%5Bsize%5D=2`)
      expect(ids((await client.get(links.last)).body.data)).to.have.length(1)
      expect(tracksOf(await get('/albums/1?include=tracks')).links).not.to.have.property('last')
    })

    it('links to the last page per parent, in as many statements for one album as for all', async () => {
      const path = (id: string) => `/albums${id}?include=tracks&withCount=tracks`
      const one = await statementsOf(() => get(path('/1')))
      const all = await statementsOf(async () => {
        const { body } = await get(path(''))
        for (const { relationships } of body.data) {
          const { links, meta } = relationships.tracks
          const lastPage = new URL(links.last).searchParams.get('page[number]')
          expect(lastPage).to.equal(String(Math.ceil(meta.total / 2)))
        }
      })
      expect(all).to.have.length(one.length)
    })

    it('returns only links for a relation without linkage that is not included', async () => {
      const answer = await get('/albums/1?relatedQuery[tracks][filter][explicit]=true')
      expect(tracksOf(answer)).to.have.all.keys('links')
    })

    it('returns no page links for linkage with pivot fields', async () => {
      const { body } = await get('/playlists/00000000-0000-4000-8000-000000000001?include=orderedTracks')
      const { links, data } = body.data.relationships.orderedTracks
      expect(links).to.have.all.keys('self', 'related')
      expect(data).to.have.length(2)
    })

    it('applies to the response of a write', async () => {
      const body = { data: { type: 'albums', id: '1', attributes: {} } }
      const answer = await client.patch('/albums/1?include=tracks&rQ[tracks][sort]=-duration', body, accept)
      expect(ids(tracksOf(answer).data)).to.deep.equal(['1', '3'])
    })

    it('ignores page of a to-many', async () => {
      const answer = await get('/albums/1?include=tracks&rQ[tracks][page][size]=1')
      expect(tracksOf(answer).data).to.have.length(2)
    })
  })

  describe('400 responses', () => {
    const faults: [query: string, code: string, parameter: string][] = [
      ['rQ[bogus][sort]=title', 'QUERY_PARAM_UNRECOGNIZED', 'rQ[bogus]'],
      ['relatedQuery[artist.albums][sort]=title', 'QUERY_PARAM_UNRECOGNIZED', 'relatedQuery[artist.albums]'],
      ['rQ[artist][sort]=name', 'QUERY_PARAM_UNRECOGNIZED', 'rQ[artist][sort]'],
      ['rQ[artist][page][size]=1', 'QUERY_PARAM_UNRECOGNIZED', 'rQ[artist][page]'],
      ['rQ[tracks][foo]=1', 'QUERY_PARAM_UNRECOGNIZED', 'rQ[tracks][foo]'],
      ['rQ=1', 'QUERY_PARAM_MALFORMED', 'rQ'],
      ['relatedQuery[tracks]=1', 'QUERY_PARAM_MALFORMED', 'relatedQuery[tracks]'],
      ['relatedQuery[tracks][sort][]=title', 'QUERY_PARAM_MALFORMED', 'relatedQuery[tracks][sort]'],
      ['relatedQuery[tracks][filter]=1', 'QUERY_PARAM_MALFORMED', 'relatedQuery[tracks][filter]'],
      ['rQ[tracks][filter][nope]=1', 'FILTERING_UNRECOGNIZED', 'rQ[tracks][filter][nope]'],
      ['rQ[tracks][filter][longerThan]=x', 'FILTER_VALUE_INVALID', 'rQ[tracks][filter][longerThan]'],
      ['rQ[tracks][sort]=nope', 'SORTING_UNRECOGNIZED', 'rQ[tracks][sort]'],
      ['relatedQuery[tracks][sort]=nope', 'SORTING_UNRECOGNIZED', 'relatedQuery[tracks][sort]'],
    ]
    for (const [query, code, parameter] of faults) {
      it(`returns ${code} with the source ${parameter} for ${query}`, async () => {
        const { status, body } = await get(`/albums/1?${query}`)
        expect(status).to.equal(400)
        expect(body.errors).to.have.length(1)
        expect(body.errors[0]).to.deep.include({ code, source: { parameter } })
      })
    }

    it('names the spelling of each parameter when the sort and the filter of a relation have different ones', async () => {
      for (const [sort, filter] of [
        ['relatedQuery', 'rQ'],
        ['rQ', 'relatedQuery'],
      ]) {
        const sent = [`${sort}[tracks][sort]=nope`, `${filter}[tracks][filter][nope]=1`]
        for (const query of [sent.join('&'), sent.toReversed().join('&')]) {
          const { body } = await get(`/albums/1?${query}`)
          const parameters = body.errors.map(({ source }: { source: { parameter: string } }) => source.parameter)
          expect(parameters, query).to.have.members([`${sort}[tracks][sort]`, `${filter}[tracks][filter][nope]`])
        }
      }
    })

    it('returns SORTING_UNSUPPORTED for a relation without sorts, and for an order that a cursor cannot represent', async () => {
      const shelves = defineResource(Shelf, {
        type: 'shelves',
        fields: ({ id, string, hasMany }) => [
          id(),
          string('name'),
          hasMany('books', 'books')
            .paginate(cursor())
            .withSorts({ place: { handler: (descending) => [{ property: 'position', descending }] } }),
        ],
      })
      const books = defineResource(Book, {
        type: 'books',
        fields: ({ id, string, belongsToMany }) => [id(), string('title').sortable(), belongsToMany('tags', 'tags')],
      })
      const tags = defineResource(Tag, { type: 'tags', fields: ({ id, string }) => [id(), string('name')] })
      const resources = [shelves, books, tags].map((resource) => ({
        file: `${resource.declaration.type}.ts`,
        resource,
      }))
      const library = await startLibrary({ resources })
      for (const [path, parameter] of [
        ['/shelves?rQ[books][sort]=place', 'rQ[books][sort]'],
        ['/shelves?include=books&rQ[books][sort]=title,-place', 'rQ[books][sort]'],
        ['/books?relatedQuery[tags][sort]=name', 'relatedQuery[tags][sort]'],
      ] as const) {
        const { status, body } = await library.client.get(path, accept)
        expect(status, path).to.equal(400)
        expect(body.errors).to.have.length(1)
        expect(body.errors[0]).to.deep.include({ code: 'SORTING_UNSUPPORTED', source: { parameter } })
        expect(body.errors[0].detail).to.equal(
          `This request does not support '${parameter}': repeat it without the parameter.`,
        )
      }
      expect((await library.client.get('/shelves?rQ[books][sort]=-title', accept)).status).to.equal(200)
      await library.close()
    })

    it('returns 400 for a polymorphic to-one', async () => {
      const { status, body } = await get('/favorites/1?rQ[favoritable][filter][title]=x')
      expect(status).to.equal(400)
      expect(body.errors[0].source).to.deep.equal({ parameter: 'rQ[favoritable]' })
    })

    it('returns 400 without the profile, and for linkage', async () => {
      for (const parameter of ['relatedQuery', 'rQ']) {
        for (const answer of [
          await client.get(`/albums/1?${parameter}[tracks][sort]=title`),
          await get(`/albums/1/relationships/tracks?${parameter}[tracks][sort]=title`),
        ]) {
          expect(answer.status).to.equal(400)
          expect(answer.body.errors[0]).to.deep.include({ code: 'QUERY_PARAM_UNRECOGNIZED', source: { parameter } })
        }
      }
    })
  })

  it('ignores the parameter without the profile when strictQueryParameters is false', async () => {
    const lenient = await startApp({ config: { strictQueryParameters: false } })
    const { status, body } = await lenient.client.get('/albums/1?include=tracks&rQ[tracks][sort]=nope')
    await lenient.close()
    expect(status).to.equal(200)
    expect(body.data.relationships.tracks.data).to.have.length(3)
  })

  it('returns 400 for the parameter, and whole linkage, when the plugin is disabled', async () => {
    const disabled = await startApp({ plugins: plugins.filter(({ name }) => name !== 'relationship-queries') })
    const refused = await disabled.client.get('/albums/1?rQ[tracks][sort]=title', accept)
    const whole = await disabled.client.get('/albums/1?include=tracks', accept)
    await disabled.close()
    expect(refused.status).to.equal(400)
    expect(whole.body.data.relationships.tracks.data).to.have.length(3)
    expect(whole.body.jsonapi).not.to.have.property('profile')
  })

  describe('with many primary resources', () => {
    const load = async (shelves: number) => {
      await emptyLibrary()
      const em = (await libraryDatabase()).orm.em.fork()
      const rows = Array.from({ length: shelves }, (_, index) => ({ id: index + 1, name: `Shelf ${index + 1}` }))
      await em.insertMany(Shelf, rows)
      const books = rows.flatMap(({ id }) => [1, 2, 3].map((n) => ({ title: `Book ${4 - n}`, position: n, shelf: id })))
      await em.insertMany(Book, books)
    }

    it('reads the first pages of a relation of all parents in one statement', async () => {
      const counts: number[] = []
      for (const shelves of [5, 15]) {
        await load(shelves)
        const library = await startLibrary()
        const statements = await statementsOf(async () => {
          const { body } = await library.client.get('/shelves?include=books&rQ[books][sort]=title', accept)
          expect(body.data).to.have.length(shelves)
          for (const { relationships } of body.data) {
            expect(relationships.books.data).to.have.length(2)
            expect(relationships.books.links).to.include.keys('first', 'next')
          }
          const next = await library.client.get(body.data[0].relationships.books.links.next)
          expect(next.body.data).to.have.length(1)
        })
        await library.close()
        counts.push(statements.length)
      }
      expect(counts).to.deep.equal([3, 3])
    })
  })
})
