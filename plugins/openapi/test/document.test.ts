import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { buildApp, catalogue } from '#test/support/catalogue.ts'
import { describeApp, openapi } from '../index.ts'

// The OpenAPI document of the catalogue, as a code generator reads it.

// biome-ignore lint/suspicious/noExplicitAny: the document is untyped JSON
type Part = any

describe('The OpenAPI document of the catalogue', () => {
  let document: Part
  let admin: Part
  before(async () => {
    const { client } = await catalogue()
    document = JSON.parse((await client.get('/docs.json')).text)
    admin = JSON.parse((await client.get('/admin/docs.json')).text)
  })

  /** Returns the operation with this id. */
  const operation = (id: string, from = document): Part =>
    Object.values<Part>(from.paths)
      .flatMap((item) => Object.values<Part>(item))
      .find(({ operationId }) => operationId === id)
  const parameter = (id: string, name: string, from = document): Part =>
    (operation(id, from).parameters as Part[]).find((parameter) => parameter.name === name)
  const tokens = (id: string, name: string): string[] => parameter(id, name)?.schema.items.enum
  const schema = (name: string): Part => document.components.schemas[name]

  it('contains the attributes of a type with their formats, separately for responses, creates and updates', () => {
    const { properties } = schema('AlbumsAttributes')
    expect(properties.title).to.deep.equal({ type: 'string', examples: ['In Rainbows'] })
    expect(properties.averageRating).to.deep.equal({ type: ['number', 'null'] })
    expect(properties.releasedAt).to.deep.include({ type: ['string', 'null'], format: 'date-time' })
    expect(properties.availableFrom).to.deep.include({ format: 'date' })
    expect(properties.status).to.deep.equal({ $ref: '#/components/schemas/AlbumStatus' })
    expect(schema('AlbumStatus').enum).to.deep.equal(['upcoming', 'released', 'withdrawn'])
    expect(schema('AlbumsCreateAttributes').required).to.deep.equal(['title'])
    expect(schema('AlbumsCreateAttributes').properties.title).to.include({ minLength: 1, maxLength: 200 })
    expect(schema('AlbumsCreateAttributes').properties).not.to.have.any.keys('averageRating', 'artwork')
    expect(schema('AlbumsUpdateAttributes')).not.to.have.property('required')
    expect(schema('TracksAttributes').properties.previewOffset).not.to.have.property('format')
    expect(schema('ArtistsUpdateAttributes').properties).not.to.have.property('createdAt')
    const email = admin.components.schemas.UsersAttributes.properties.email
    expect(email).to.deep.equal({ type: 'string', format: 'email' })
    expect(admin.components.schemas.UsersAttributes.properties).not.to.have.any.keys('password', 'passwordConfirm')
  })

  it('has the operations and schemas that are read before it is written', async () => {
    const app = await buildApp()
    for (const [path, written] of Object.entries({ '/docs.json': document, '/admin/docs.json': admin })) {
      const read: Part = app.openapiOperations?.(path)
      for (const [url, { parameters: _, ...methods }] of Object.entries<Part>(written.paths)) {
        for (const [method, { responses, ...described }] of Object.entries<Part>(methods)) {
          const { responses: own, ...operation } = JSON.parse(JSON.stringify(read.paths[url][method]))
          expect(operation, `${method} ${url}`).to.deep.equal(described)
          const resolved = Object.entries<Part>(responses).map(([status, { $ref, ...response }]) => {
            return [status, $ref ? written.components.responses[$ref.split('/').at(-1)] : response]
          })
          expect(own, `${method} ${url}`).to.deep.equal(Object.fromEntries(resolved))
        }
      }
      expect(Object.keys(read.paths)).to.deep.equal(Object.keys(written.paths))
      const schemas = JSON.parse(JSON.stringify(read.components.schemas))
      expect(schemas).to.deep.include(written.components.schemas)
    }
    expect(app.openapiFile?.('/docs.json')?.body.length).to.be.above(0)
    expect(app.openapiOperations?.('/docs.json')?.paths, 'after it is written').to.deep.equal(document.paths)
    await app.close()
  })

  it('has the changes of decorators in the operations that are read', async () => {
    const decorate = (changed: Part) => ({ ...changed, paths: {} })
    const app = await buildApp({
      plugins: plugins.map((plugin) => (plugin.name === 'openapi' ? openapi({ decorators: [{ decorate }] }) : plugin)),
    })
    expect(app.openapiOperations?.('/docs.json')?.paths).to.deep.equal({})
    await app.close()
  })

  it('contains a schema of every attribute, also if a function computes it', () => {
    const withoutSchema = Object.entries<Part>(document.components.schemas)
      .filter(([name]) => name.endsWith('Attributes'))
      .flatMap(([name, { properties }]) =>
        Object.keys(properties)
          .filter((member) => Object.keys(properties[member]).length === 0)
          .map((member) => [name, member]),
      )
    expect(withoutSchema).to.deep.equal([])
    expect(schema('ChartsAttributes').properties.period).to.deep.equal({ type: 'string' })
  })

  it('contains the relations of a type with their targets and pivot fields', () => {
    const { artist, tracks } = schema('AlbumsResource').properties.relationships.properties
    expect(artist.$ref).to.match(/AlbumsArtistRelationship$/)
    expect(tracks.$ref).to.match(/AlbumsTracksRelationship$/)
    expect(schema('AlbumsArtistRelationship').properties.data).to.deep.equal({
      anyOf: [{ $ref: '#/components/schemas/ArtistsResourceIdentifier' }, { type: 'null' }],
    })
    expect(schema('AlbumsTracksRelationship').properties.data).to.deep.equal({
      type: 'array',
      items: { $ref: '#/components/schemas/TracksResourceIdentifier' },
    })
    const mixed = schema('LibrariesItemsRelationship').properties.data.items
    expect(Object.keys(mixed.discriminator.mapping)).to.deep.equal(['tracks', 'albums', 'artists'])
    const ordered = schema('PlaylistsOrderedTracksRelationship').properties.data.items.allOf[1].properties.meta
      .properties
    expect(ordered.pivot.$ref).to.match(/PlaylistsOrderedTracksPivot$/)
    expect(schema('PlaylistsOrderedTracksPivot').properties).to.have.keys('position', 'weight', 'addedAt')
    expect(schema('PlaylistsOrderedTracksPivotInput').properties).to.have.keys('position', 'weight')
  })

  it('contains only the methods of a relationship that the relation allows', () => {
    const methods = (path: string) => Object.keys(document.paths[path]).filter((key) => key !== 'parameters')
    expect(methods('/albums/{id}/relationships/artist')).to.deep.equal(['get', 'patch'])
    expect(methods('/albums/{id}/relationships/tracks')).to.deep.equal(['get', 'patch', 'post', 'delete'])
    expect(methods('/tracks/{id}/relationships/playlists')).to.deep.equal(['get', 'post', 'delete'])
  })

  it('lists the paths, sorts and counts that include, sort and withCount accept', () => {
    expect(tokens('fetchCollection.albums', 'include')).to.include.members(['artist', 'tracks', 'tracks.album'])
    expect(tokens('fetchCollection.albums', 'include')).not.to.include('tracks.album.artist.albums')
    expect(tokens('create.albums', 'include')).to.include('artist')
    expect(parameter('fetchOne.favorites', 'include')?.schema.items.enum ?? []).not.to.include('favoritable')
    expect(tokens('fetchCollection.albums', 'sort')).to.deep.equal(
      ['title', 'releasedAt', 'status'].flatMap((key) => [key, `-${key}`]),
    )
    expect(tokens('fetchRelated.albums.tracks', 'sort')).to.include.members(['duration', '-duration'])
    expect(tokens('fetchCollection.albums', 'withCount')).to.deep.equal(['tracks'])
    expect(tokens('fetchRelated.albums.tracks', 'withCount')).to.deep.equal(['_self_', 'playlists'])
    expect(tokens('fetchCollection.albums', 'fields[artists]')).to.include.members(['name', 'albums'])
  })

  it('lists only types that includes can reach when their depth is unlimited and relations form a cycle', async () => {
    const app = await buildApp({ servers: { default: { maxIncludeDepth: 0 }, admin: { prefix: '/admin' } } })
    const unlimited: Part = describeApp(app, {}).get('default')
    await app.close()
    const reachable = ['artists', 'albums', 'tracks', 'playlists', 'public-profiles']
    const { included } = unlimited.components.schemas.AlbumsCollection.properties
    expect(Object.keys(included.items.discriminator.mapping)).to.have.members(reachable)
    const names: string[] = operation('fetchCollection.albums', unlimited).parameters.map(({ name }: Part) => name)
    const fieldsets = names.filter((name) => name?.startsWith('fields['))
    expect(fieldsets).to.have.members(reachable.map((type) => `fields[${type}]`))
    const include = parameter('fetchCollection.albums', 'include', unlimited)
    expect(include.schema.items).not.to.have.property('enum')
    expect(include['x-include-paths']).to.include('tracks.playlists.publicOwner')
  })

  it('contains the filters of a type with the schemas of their values', () => {
    const value = (id: string, key: string) => parameter(id, `filter[${key}]`).schema
    expect(value('fetchCollection.albums', 'title')).to.deep.equal({ type: 'string' })
    expect(parameter('fetchCollection.albums', 'filter[rating]')).to.include({ style: 'deepObject' })
    expect(value('fetchCollection.albums', 'rating').properties.min).to.deep.equal({ type: 'number' })
    expect(value('fetchCollection.tracks', 'explicit')).to.deep.equal({ type: 'boolean', default: false })
    expect(value('fetchCollection.tracks', 'genres')).to.deep.equal({ type: 'array', items: { type: 'string' } })
    expect(value('fetchRelated.albums.tracks', 'longerThan')).to.deep.equal({ type: 'integer' })
    expect(value('fetchRelated.playlists.orderedTracks', 'position')).to.deep.equal({ type: 'integer' })
  })

  it('contains the page parameters of the paginator of a collection', () => {
    const page = parameter('fetchCollection.albums', 'page')
    expect(page).to.include({ style: 'deepObject', explode: true, 'x-paginator': 'page' })
    expect(page.schema.properties.size).to.include({ default: 15, maximum: 50 })
    expect(parameter('fetchRelated.albums.tracks', 'page').schema.properties.size.default).to.equal(2)
    const cursor = parameter('fetchCollection.users', 'page', admin)
    expect(cursor.schema.properties).to.have.keys('size', 'after', 'before')
    expect(cursor['x-profile']).to.equal('https://jsonapi.org/profiles/ethanresnick/cursor-pagination/')
  })

  it('contains whether clients choose the id of a new resource, and the pattern of ids', () => {
    const dataOf = (type: string) => schema(`${type}CreateRequest`).properties.data
    expect(dataOf('Albums').properties.id).to.equal(false)
    expect(dataOf('Genres').required).to.include('id')
    expect(document.paths['/products/{id}'].parameters[0].schema.pattern).to.equal('^(?:prod-[0-9a-f]+)$')
  })

  it('contains the declared success statuses and every error status of an operation', () => {
    const statuses = (id: string) => Object.keys(operation(id).responses).map(Number)
    expect(statuses('fetchCollection.albums')).to.include.members([200, 400, 401, 403, 406, 415, 500, 503])
    expect(statuses('fetchCollection.albums')).not.to.include(404)
    expect(statuses('fetchOne.albums')).to.include(404)
    expect(statuses('delete.albums')).to.include.members([204, 400, 403, 404, 406, 409, 500])
    expect(statuses('create.albums')).to.include.members([201, 404, 409, 413, 422])
    expect(statuses('create.catalog-exports')).to.include(202).and.not.to.include(201)
    expect(statuses('fetchOne.export-jobs')).to.include.members([200, 303])
    expect(operation('create.albums').responses[201].headers).to.have.property('Location')
    expect(operation('create.catalog-exports').responses[202].headers).to.include.keys(
      'Content-Location',
      'Retry-After',
    )
  })

  it('contains security requirements, deprecations and cache headers', () => {
    expect(document.security).to.deep.equal([{ bearer: [] }])
    expect(operation('fetchCollection.artists').security).to.deep.equal([])
    expect(operation('create.artists').security).to.deep.equal([{}, { bearer: [] }])
    expect(operation('update.playlists')).not.to.have.property('security')
    expect(operation('fetchOne.devices').deprecated).to.equal(true)
    expect(operation('fetchOne.genres').responses[200].headers).to.have.property('Cache-Control')
  })

  it('contains the batch endpoint with its media type and operations', () => {
    const { requestBody, responses, operationId } = document.paths['/operations'].post
    const media = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'
    expect(operationId).to.equal('atomic.operations')
    expect(requestBody.content).to.have.keys(media)
    expect(responses[200].content).to.have.keys(media)
    expect(schema('AtomicOperation').anyOf.map(({ $ref }: Part) => $ref.split('/').at(-1))).to.include.members([
      'AlbumsAtomicAdd',
      'AlbumsAtomicUpdate',
    ])
  })
})
