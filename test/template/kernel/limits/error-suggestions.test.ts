import { expect } from 'chai'
import { atomicHeaders, atomicMediaType, sendBatch } from '#test/support/batch.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { type Client, mediaType } from '#test/support/client.ts'
import { as } from '#test/support/principals.ts'

// Details that list what is accepted, and suggest the nearest name.

const relationshipQueries = 'https://haddowg.github.io/json-api/profiles/relationship-queries/'

describe('The detail of an error', () => {
  let client: Client
  before(async () => {
    client = (await catalogue()).client
  })
  const detailOf = async (path: string, headers: Record<string, string> = {}) => {
    const { body } = await client.get(path, headers)
    return body.errors[0].detail as string
  }

  const urls: readonly [what: string, path: string, detail: string][] = [
    [
      'sort keys',
      '/artists?sort=-nme',
      "Cannot sort resources of type 'artists' by 'nme'. Sortable: name, slug, createdAt. Did you mean 'name'?",
    ],
    ['filters', '/artists?filter[slgu]=x', "Cannot filter by 'slgu'. Filters here: slug, q. Did you mean 'slug'?"],
    [
      'include paths',
      '/artists/1?include=album',
      "Cannot include album: there is no such relationship. Accepted: albums. Did you mean 'albums'?",
    ],
    [
      'fields',
      '/artists?fields[artists]=nmae',
      "Resources of type 'artists' do not have these fields: nmae. Available: name, slug, website, bio, trackCount, createdAt, albums. Did you mean 'name'?",
    ],
    [
      'relationship counts',
      '/albums?withCount=track',
      "Cannot count track. Countable here: tracks. Did you mean 'tracks'?",
    ],
    [
      'query parameters',
      '/albums?includes=tracks',
      "The query parameter 'includes' is not recognized here. Accepted: fields, include, sort, page, withCount, filter. Did you mean 'include'?",
    ],
    [
      'relationships of a related URL',
      '/albums/1/artists',
      "Resources of type 'albums' have no relationship 'artists' here. Relationships: artist, tracks. Did you mean 'artist'?",
    ],
    [
      'relationships of a relationship URL',
      '/albums/1/relationships/trakcs',
      "Resources of type 'albums' have no relationship 'trakcs' here. Relationships: artist, tracks. Did you mean 'tracks'?",
    ],
  ]
  for (const [what, path, detail] of urls) {
    it(`lists the accepted ${what} and suggests the nearest`, async () => {
      expect(await detailOf(path)).to.equal(detail)
    })
  }

  it('suggests nothing when no accepted name is similar', async () => {
    expect(await detailOf('/artists?sort=colour')).to.match(/Sortable: name, slug, createdAt\.$/)
    expect(await detailOf('/albums?colour=red')).to.match(/Accepted: fields, .*, filter\.$/)
  })

  const accepting: readonly (readonly [path: string, accepted: string])[] = [
    ['/albums', 'fields, include, sort, page, withCount, filter'],
    ['/albums/1', 'fields, include, withCount'],
    ['/albums/1/tracks', 'fields, include, sort, page, withCount, filter'],
    ['/albums/1/artist', 'fields, include, filter'],
    ['/albums/1/relationships/tracks', 'fields, sort, page, withCount, filter'],
    ['/albums/1/relationships/artist', 'fields, filter'],
  ]
  for (const [path, accepted] of accepting) {
    it(`lists only the query parameters that GET ${path} accepts`, async () => {
      expect(await detailOf(`${path}?colour=red`)).to.equal(
        `The query parameter 'colour' is not recognized here. Accepted: ${accepted}.`,
      )
    })
  }

  it('lists only the query parameters that writes and actions accept', async () => {
    const attributes = { title: 'Homogenic' }
    const write = await client.post('/albums?colour=red', { data: { type: 'albums', attributes } }, as('admin'))
    expect(write.body.errors[0].detail).to.match(/Accepted: fields, include, withCount\.$/)
    const action = await client.post('/albums/-actions/summary?colour=red', undefined, as('admin'))
    expect(action.body.errors[0].detail).to.match(/Accepted: none\.$/)
  })

  it('lists relatedQuery only when the profile is negotiated', async () => {
    const accept = `${mediaType}; profile="${relationshipQueries}"`
    expect(await detailOf('/albums/1?colour=red', { accept })).to.match(
      /Accepted: fields, include, withCount, relatedQuery, rQ\.$/,
    )
  })

  it('says to omit a query parameter that the URL does not accept', async () => {
    expect(await detailOf('/albums/1/artist?sort=name')).to.equal(
      "The query parameter 'sort' is not recognized here. Repeat the request without it.",
    )
  })

  it('names the profile that relatedQuery needs, its relations and its members', async () => {
    expect(await detailOf('/albums?relatedQuery[tracks][sort]=title')).to.equal(
      `The query parameter 'relatedQuery' is not recognized here. It needs the profile ${relationshipQueries} in the Accept header.`,
    )
    const accept = `${mediaType}; profile="${relationshipQueries}"`
    expect(await detailOf('/albums?relatedQuery[track][sort]=title', { accept })).to.match(/Did you mean 'tracks'\?$/)
    expect(await detailOf('/albums?relatedQuery[tracks][srot]=title', { accept })).to.match(
      /Accepted: sort, filter\. Did you mean 'sort'\?$/,
    )
  })

  it('lists the values of an enumeration and suggests the nearest', async () => {
    const attributes = { title: 'Homogenic', status: 'relased' }
    const { status, body } = await client.post('/albums', { data: { type: 'albums', attributes } })
    expect(status).to.equal(422)
    expect(body.errors[0].detail).to.equal(
      "'status' must be one of upcoming, released, withdrawn. Did you mean 'released'?",
    )
  })

  it('lists the variants of an object and suggests the nearest', async () => {
    const attributes = { catalogNumber: 'X1', format: { medium: 'vinly' } }
    const { body } = await client.post('/releases', { data: { type: 'releases', attributes } })
    const details = body.errors.map(({ detail }: { detail: string }) => detail)
    expect(details.join()).to.match(/must be one of vinyl, .*Did you mean 'vinyl'\?/)
  })

  it('lists the accepted types of a document and of linkage', async () => {
    const document = await client.post('/albums', { data: { type: 'album', attributes: {} } })
    expect(document.body.errors[0].detail).to.equal(
      "The type 'album' is not accepted here. Accepted: albums. Did you mean 'albums'?",
    )
    const linkage = await client.patch('/albums/1/relationships/artist', { data: { type: 'artist', id: '1' } })
    expect(linkage.body.errors[0].detail).to.equal(
      "The type 'artist' is not accepted here. Accepted: artists. Did you mean 'artists'?",
    )
  })

  it('lists the operations, types and relationships of a batch', async () => {
    const detail = async (operation: object) => (await sendBatch(client, [operation])).body.errors[0].detail
    expect(await detail({ op: 'updat', ref: { type: 'albums', id: '1' } })).to.equal(
      "The batch cannot be read: the op is one of add, update, remove. Did you mean 'update'?",
    )
    expect(await detail({ op: 'add', data: { type: 'album' } })).to.match(/Types: .*Did you mean 'albums'\?$/)
    const ref = { type: 'albums', id: '1', relationship: 'track' }
    expect(await detail({ op: 'update', ref, data: [] })).to.match(/Did you mean 'tracks'\?$/)
    expect((await sendBatch(client, 5)).body.errors[0].detail).to.equal(
      'The batch cannot be read: atomic:operations must be a list of at least one operation.',
    )
  })

  it('is translated with its suggestion', async () => {
    const german = { 'accept-language': 'de' }
    expect(await detailOf('/albums?includes=tracks', german)).to.match(
      /^Der Parameter „includes“ ist hier unbekannt\. Möglich: fields, .* Ist „include“ gemeint\?$/,
    )
    expect(await detailOf('/artists?sort=nme', german)).to.match(/Sortierbar: name, .* Ist „name“ gemeint\?$/)
  })

  it('lists at most 20 names and repeats at most 100 characters of a name', async () => {
    const long = 'x'.repeat(5000)
    const detail = await detailOf(
      `/albums?withCount=${long},${Array.from({ length: 30 }, (_, n) => `name${n}`).join()}`,
    )
    expect(detail)
      .to.include(`${'x'.repeat(100)}…, name0, `)
      .and.to.include('name18, … and 11 more')
    for (const path of [
      `/albums?${long}=1`,
      `/albums/1/${long}`,
      `/albums?sort=${long}`,
      `/albums?filter[${long}]=1`,
    ]) {
      expect(await detailOf(path), path.slice(0, 20)).to.have.length.below(500)
    }
  })

  describe('at /operations', () => {
    it('names the media type with ext when the Content-Type is another (415)', async () => {
      for (const type of [mediaType, 'application/json', `${mediaType}; ext="https://example.com/other"`]) {
        const headers = { ...atomicHeaders, 'content-type': type }
        const { status, body } = await client.post('/operations', { 'atomic:operations': [] }, headers)
        expect(status).to.equal(415)
        expect(body.errors[0].detail).to.equal(
          `The media type '${type}' is not supported here. Accepted: ${atomicMediaType}.`,
        )
      }
    })

    it('names the media type with ext when Accept has another (406)', async () => {
      for (const accept of [mediaType, 'text/html', '*/*']) {
        const { status, body } = await client.post(
          '/operations',
          { 'atomic:operations': [] },
          { ...atomicHeaders, accept },
        )
        expect(status).to.equal(406)
        expect(body.errors[0].detail).to.equal(
          `None of the media types in '${accept}' is available. Available: ${atomicMediaType}.`,
        )
      }
    })
  })
})

describe('A request body that is not JSON', () => {
  let client: Client
  before(async () => {
    client = (await catalogue()).client
  })
  const cases: readonly [text: string, reason: string][] = [
    ['{\n  "data": {\n    "type": albums\n  }\n}', 'its syntax is invalid at line 3, column 13'],
    ['{"data": {},}', 'its syntax is invalid at line 1, column 13'],
    ["{'data': 1}", 'its syntax is invalid at line 1, column 2'],
    ['{"data": "a\nb"}', 'its syntax is invalid at line 1, column 12'],
    ['{"data": {"type": "albums"', 'it ends before the value is complete, at line 1, column 27'],
    ['{"data": null} x', 'its syntax is invalid at line 1, column 16'],
    ['{"__proto__": {}}', "it has a member '__proto__', which is not accepted"],
  ]
  for (const [text, reason] of cases) {
    it(`returns 400 with line and column for ${JSON.stringify(text)}`, async () => {
      const { status, body } = await client.post('/albums', text)
      expect(status).to.equal(400)
      expect(body.errors).to.have.length(1)
      expect(body.errors[0].detail).to.equal(`The request body is not valid JSON: ${reason}.`)
    })
  }
})
