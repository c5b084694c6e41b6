import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource } from '#kernel'
import { BootError } from '#kernel/plugin'
import { cursor } from '#plugins/cursor-profile/index.ts'
import { menu, offset, page } from '#plugins/pagination/index.ts'
import { buildApp, startApp, type TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { Label, Shelf } from '#test/support/library/entities.ts'
import { libraryDatabase } from '#test/support/library/index.ts'
import { type OpenApiDocument, type OpenApiOptions, openapi } from './index.ts'

const document = async (path = '/docs.json') => JSON.parse((await (await catalogue()).client.get(path)).text)

describe('The OpenAPI document', () => {
  it('is served per server, as JSON, under the name of the server', async () => {
    const { client } = await catalogue()
    for (const path of ['/docs.json', '/admin/docs.json']) {
      const { status, headers, text } = await client.get(path, { accept: '*/*' })
      expect(status).to.equal(200)
      expect(headers.get('content-type')).to.equal('application/json')
      expect(JSON.parse(text).openapi).to.match(/^3\.1\.\d$/)
    }
    expect((await document()).servers[0].url).to.equal('/')
    expect((await document('/admin/docs.json')).servers[0].url).to.equal('/admin')
  })

  it('is not sent again to a client that has it', async () => {
    const { client } = await catalogue()
    const etag = (await client.get('/docs.json')).headers.get('etag') as string
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, text } = await client.get('/docs.json', { 'if-none-match': known })
      expect(status, known).to.equal(304)
      expect(text).to.equal('')
    }
    expect((await client.get('/docs.json', { 'if-none-match': '"other"' })).status).to.equal(200)
  })

  it('is the same, to the byte, whenever the application is built', async () => {
    const again = await startApp()
    const { client } = await catalogue()
    for (const path of ['/docs.json', '/admin/docs.json', '/schemas.json', '/admin/schemas.json']) {
      expect((await again.client.get(path)).text, path).to.equal((await client.get(path)).text)
    }
    await again.close()
  })

  it('names every operation that is offered, and none that is refused whatever is sent', async () => {
    const { paths } = await document()
    const ids = Object.values(paths as Record<string, Record<string, { operationId?: string }>>).flatMap((item) =>
      Object.values(item).flatMap(({ operationId }) => operationId ?? []),
    )
    expect(ids).to.include.members([
      'fetchCollection.albums',
      'fetchOne.albums',
      'create.albums',
      'update.albums',
      'delete.albums',
      'fetchRelated.albums.tracks',
      'fetchRelationship.albums.tracks',
      'updateRelationship.albums.tracks',
      'addRelationship.albums.tracks',
      'removeRelationship.albums.tracks',
      'updateRelationship.albums.artist',
      'addRelationship.tracks.playlists',
    ])
    expect(ids).not.to.include.members(['addRelationship.albums.artist'])
    expect(ids).not.to.include.members(['updateRelationship.tracks.playlists'])
    expect(ids).not.to.include.members(['create.charts'])
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('says of each type whether clients choose ids', async () => {
    const { components } = await document()
    const dataOf = (type: string) => components.schemas[`${type}CreateRequest`].properties.data
    expect(dataOf('Albums').properties.id).to.equal(false)
    expect(dataOf('Genres').properties.id.pattern).to.equal('^(?:^[a-z0-9]+(-[a-z0-9]+)*$)$')
    expect(dataOf('Genres').required).to.include('id')
  })

  it('shows a type by headings of its own, or by its name', async () => {
    const { paths, tags } = await document()
    expect(paths['/albums'].get.tags).to.deep.equal(['Catalog'])
    expect(paths['/catalog-exports'].get.tags).to.deep.equal(['Catalog Exports'])
    expect(tags.map(({ name }: { name: string }) => name)).to.include.members(['Catalog', 'Library', 'Artists'])
  })

  it('has no reference without a target and no component without a reference', async () => {
    for (const path of ['/docs.json', '/admin/docs.json']) {
      const whole = await document(path)
      const named = [...JSON.stringify(whole).matchAll(/"#\/components\/([^"]+)"/g)].map(([, name]) => name)
      const held = Object.entries(whole.components as Record<string, object>)
        .filter(([section]) => section !== 'securitySchemes')
        .flatMap(([section, parts]) => Object.keys(parts).map((name) => `${section}/${name}`))
      expect(held).to.have.members([...new Set(named)])
    }
  })
})

describe('Every success document', () => {
  it('links to the document that describes its server', async () => {
    const { client } = await catalogue()
    const linkOf = async (path: string) => JSON.parse((await client.get(path)).text).links?.describedby
    expect(await linkOf('/albums')).to.equal(`${client.url}/docs.json`)
    expect(await linkOf('/admin/albums/1/relationships/artist')).to.equal(`${client.url}/admin/docs.json`)
    expect(await linkOf('/albums/99')).to.equal(undefined)
  })

  it('links to it below the configured base URI', async () => {
    const servers = {
      default: { baseUri: 'https://a.example/x' },
      admin: { prefix: '/admin', baseUri: 'https://a.example/x/admin' },
    }
    const { client, close } = await startApp({ servers })
    const linkOf = async (path: string) => JSON.parse((await client.get(path)).text).links.describedby
    expect(await linkOf('/albums')).to.equal('https://a.example/x/docs.json')
    expect(await linkOf('/admin/albums')).to.equal('https://a.example/x/admin/docs.json')
    await close()
  })
})

describe('The JSON Schemas', () => {
  it('are one per type of the server, each complete in itself', async () => {
    const schemas = await document('/schemas.json')
    expect(schemas).to.include.keys('albums', 'charts').and.not.to.have.any.keys('users')
    expect(schemas.albums.$id).to.equal('urn:jsonapi:schema:albums')
    expect(JSON.stringify(schemas)).not.to.include('#/components/')
    expect(await document('/admin/schemas.json')).to.include.keys('users')
  })
})

describe('The plugin openapi', () => {
  const labels = defineResource(Label, {
    type: 'labels',
    tags: ['Library'],
    fields: ({ id, string, belongsTo }) => [
      id(),
      string('text').describedAs('What is written on it').example('Fiction'),
      belongsTo('shelf', 'shelves').describedAs('Where it hangs'),
    ],
    descriptions: { Create: 'Writes a label.', Update: 'Writes it anew.' },
    describeOperation: (kind) => (kind === 'Update' ? 'Corrects a label.' : undefined),
  })
  const shelves = defineResource(Shelf, { type: 'shelves', fields: ({ id }) => [id()] })
  const resources = [labels, shelves].map((resource) => ({ file: 'test', resource }))
  let running: TestApp | null = null
  afterEach(async () => {
    await running?.close()
    running = null
  })
  const start = async (options: OpenApiOptions = {}) => {
    running = await startApp({ plugins: [openapi(options)], resources, database: await libraryDatabase() })
    return running.client
  }
  const fetched = async (options: OpenApiOptions = {}, path = '/docs.json') =>
    JSON.parse((await (await start(options)).get(path)).text)

  it('tells descriptions and examples of attributes and relations', async () => {
    const { components } = await fetched()
    expect(components.schemas.LabelsAttributes.properties.text).to.deep.include({
      description: 'What is written on it',
      examples: ['Fiction'],
    })
    expect(components.schemas.LabelsShelfRelationship.description).to.equal('Where it hangs')
  })

  it('tells of operations what the function of the type says, else what it declares', async () => {
    const { paths } = await fetched()
    expect(paths['/labels'].post.description).to.equal('Writes a label.')
    expect(paths['/labels/{id}'].patch.description).to.equal('Corrects a label.')
  })

  it('takes title, version and headings from its options', async () => {
    const tags = [{ name: 'Shelves', description: 'Where books stand.' }, { name: 'Unused' }, { name: 'Library' }]
    const { info, tags: told } = await fetched({ info: { title: 'Books', version: '2.0.0' }, tags })
    expect(info).to.deep.equal({ title: 'Books', version: '2.0.0', 'x-generator': { contract: 1 } })
    expect(told).to.deep.equal([
      { name: 'Shelves', description: 'Where books stand.' },
      { name: 'Library', description: 'Resources of type labels.' },
    ])
  })

  it('demands the schemes it is told of, and drops a broken one with its demand', async () => {
    const schemes = {
      token: { type: 'bearer' },
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      login: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example/.well-known/openid-configuration' },
      lost: { type: 'apiKey', in: 'header' },
      odd: { type: 'password' },
    }
    const security = { schemes, defaultRequirement: ['token', 'lost', 'key'] }
    const told = await fetched({ security })
    expect(told.components.securitySchemes).to.have.keys('token', 'key', 'login')
    expect(told.components.securitySchemes.token).to.deep.equal({ type: 'http', scheme: 'bearer' })
    expect(told.security).to.deep.equal([{ token: [] }, { key: [] }])
  })

  it('lets decorators have the last word, the highest priority last', async () => {
    const note = (text: string, priority?: number) => ({
      ...(priority !== undefined && { priority }),
      decorate: (document: OpenApiDocument, server: string) => {
        document['x-notes'] = [...((document['x-notes'] ?? []) as string[]), `${text} ${server}`]
        return undefined
      },
    })
    const told = await fetched({ decorators: [note('last', 5), note('first', -5), note('middle')] })
    expect(told['x-notes']).to.deep.equal(['first default', 'middle default', 'last default'])
  })

  it('serves nothing and links to nothing when it is switched off', async () => {
    const client = await start({ enabled: false })
    expect((await client.get('/docs.json')).status).to.equal(404)
    expect((await client.get('/schemas.json')).status).to.equal(404)
    expect((await client.get('/labels')).text).not.to.include('describedby')
  })

  it('describes all servers in one document when it is told to', async () => {
    const others = plugins.filter(({ name }) => name !== 'openapi')
    running = await startApp({ plugins: [...others, openapi({ mode: 'combined' })] })
    const { client } = running
    const { paths, components } = JSON.parse((await client.get('/docs.json')).text)
    expect(paths['/albums'].get.operationId).to.equal('fetchCollection.albums')
    expect(paths['/admin/albums'].get.operationId).to.equal('admin.fetchCollection.albums')
    expect(components.schemas).to.include.keys('AlbumsResource', 'AdminAlbumsResource')
    expect((await client.get('/admin/docs.json')).status).to.equal(404)
    expect(JSON.parse((await client.get('/admin/albums')).text).links.describedby).to.equal(`${client.url}/docs.json`)
  })

  it('tells a menu of paginators as one of several sets of members, which say their kind', async () => {
    const paged = defineResource(Label, {
      type: 'labels',
      fields: ({ id, string }) => [id(), string('text')],
      pagination: () => menu(page({ size: 3 }), offset(), cursor()),
    })
    const given = [{ file: 'test', resource: paged }]
    running = await startApp({ resources: given, database: await libraryDatabase() })
    const { client } = running
    const { paths, components } = JSON.parse((await client.get('/docs.json')).text)
    const { schema, style, ...rest } = paths['/labels'].get.parameters.find(
      ({ name }: { name: string }) => name === 'page',
    )
    expect(style).to.equal('deepObject')
    expect(rest['x-paginator']).to.equal('menu')
    expect(schema.discriminator).to.deep.equal({ propertyName: 'kind' })
    const members = schema.oneOf.map((one: { properties: object }) => Object.keys(one.properties))
    expect(members).to.deep.equal([
      ['kind', 'number', 'size'],
      ['kind', 'offset', 'limit'],
      ['kind', 'size', 'after', 'before'],
    ])
    for (const one of schema.oneOf) expect(one.additionalProperties).to.equal(false)
    expect(components.schemas).to.include.keys('PageMeta', 'OffsetMeta', 'CursorMeta')
    expect(JSON.stringify(paths['/labels'].get.responses[400])).to.include('PAGINATION_KIND_UNKNOWN')
    for (const query of ['', '?page[kind]=offset', '?page[kind]=cursor', '?page[kind]=none'])
      await client.get(`/labels${query}`)
  })

  it('refuses headings that are blank or listed twice, and types it could not tell apart', async () => {
    const wrong = defineResource(Label, {
      type: 'la-bels',
      tags: [' '],
      schemas: { nothing: {} },
      fields: ({ id }) => [id()],
    })
    const twin = defineResource(Label, { type: 'la_bels', tags: ['A', 'A'], fields: ({ id }) => [id()] })
    const given = [wrong, twin].map((resource) => ({ file: 'test', resource }))
    const failed = await buildApp({ resources: given, database: await libraryDatabase() }).catch((error) => error)
    expect(failed).to.be.instanceOf(BootError)
    expect(failed.message)
      .to.include('A tag is a text that is not blank.')
      .and.to.include("'nothing' is not an attribute that a function computes.")
      .and.to.include('A tag is listed twice.')
      .and.to.include("In the documentation the type would be called LaBels, as 'la-bels' is.")
  })
})
