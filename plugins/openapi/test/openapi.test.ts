import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource } from '#kernel'
import { BootError, type Plugin } from '#kernel/plugin'
import { cursor, menu, offset, page } from '#plugins/pagination/index.ts'
import { buildApp, startApp, type TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { Label, Shelf } from '#test/template/support/library/entities.ts'
import { libraryDatabase } from '#test/template/support/library/index.ts'
import { type OpenApiDocument, type OpenApiOptions, openapi } from '../index.ts'

const document = async (path = '/docs.json') => JSON.parse((await (await catalogue()).client.get(path)).text)

describe('The OpenAPI document', () => {
  it('is served as JSON for each server, below its prefix', async () => {
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

  it('returns 304 without a body when If-None-Match contains its ETag', async () => {
    const { client } = await catalogue()
    const etag = (await client.get('/docs.json')).headers.get('etag') as string
    for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, text } = await client.get('/docs.json', { 'if-none-match': header })
      expect(status, header).to.equal(304)
      expect(text).to.equal('')
    }
    expect((await client.get('/docs.json', { 'if-none-match': '"other"' })).status).to.equal(200)
  })

  it('has the same bytes when the application is built again', async () => {
    const again = await startApp()
    const { client } = await catalogue()
    for (const path of ['/docs.json', '/admin/docs.json', '/schemas.json', '/admin/schemas.json']) {
      expect((await again.client.get(path)).text, path).to.equal((await client.get(path)).text)
    }
    await again.close()
  })

  it('contains operations that can succeed, and omits operations that are always refused', async () => {
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

  it('summarizes operations in sentences about the type and the relation', async () => {
    const { paths } = await document()
    const summary = (path: string, method: string) => paths[path][method].summary
    expect(summary('/albums', 'get')).to.equal('List albums')
    expect(summary('/albums', 'post')).to.equal('Create an album')
    expect(summary('/countries/{id}', 'get')).to.equal('Fetch a country')
    expect(summary('/albums/{id}', 'patch')).to.equal('Update an album')
    expect(summary('/albums/{id}', 'delete')).to.equal('Delete an album')
    expect(summary('/albums/{id}/tracks', 'get')).to.equal('List the tracks of an album')
    expect(summary('/albums/{id}/artist', 'get')).to.equal('Fetch the artist of an album')
    const linkage = '/albums/{id}/relationships'
    expect(summary(`${linkage}/tracks`, 'get')).to.equal('List the ids of the tracks of an album')
    expect(summary(`${linkage}/tracks`, 'patch')).to.equal('Replace the tracks of an album')
    expect(summary(`${linkage}/tracks`, 'post')).to.equal('Add tracks to an album')
    expect(summary(`${linkage}/tracks`, 'delete')).to.equal('Remove tracks from an album')
    expect(summary(`${linkage}/artist`, 'get')).to.equal('Fetch the id of the artist of an album')
    expect(summary(`${linkage}/artist`, 'patch')).to.equal('Set the artist of an album')
    expect(summary('/playlists/{id}/orderedTracks', 'get')).to.equal('List the ordered tracks of a playlist')
    expect(paths['/albums/{id}'].parameters[0].description).to.equal('The id of the album.')
    expect(paths['/albums/{id}/artist'].get.description).to.equal(
      'Returns the artist of the album; null if it has none.',
    )
  })

  it('forbids, or requires with its pattern, the id in a create request', async () => {
    const { components } = await document()
    const dataOf = (type: string) => components.schemas[`${type}CreateRequest`].properties.data
    expect(dataOf('Albums').properties.id).to.equal(false)
    expect(dataOf('Genres').properties.id.pattern).to.equal('^(?:^[a-z0-9]+(-[a-z0-9]+)*$)$')
    expect(dataOf('Genres').required).to.include('id')
  })

  it('tags operations with the declared tags, or with the name of the type', async () => {
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

describe('Documents of successful responses', () => {
  it('link to the OpenAPI document of their server', async () => {
    const { client } = await catalogue()
    const linkOf = async (path: string) => JSON.parse((await client.get(path)).text).links?.describedby
    expect(await linkOf('/albums')).to.equal(`${client.url}/docs.json`)
    expect(await linkOf('/admin/albums/1/relationships/artist')).to.equal(`${client.url}/admin/docs.json`)
    expect(await linkOf('/albums/99')).to.equal(undefined)
  })

  it('link to a URL below the base URI when one is configured', async () => {
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
  it('contain one self-contained schema per type of the server', async () => {
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
      string('caption').storedAs('text').nullable().deprecated(),
      belongsTo('shelf', 'shelves').describedAs('Where it hangs').deprecated(),
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

  it('contains the descriptions and examples of attributes and relations', async () => {
    const { components } = await fetched()
    expect(components.schemas.LabelsAttributes.properties.text).to.deep.include({
      description: 'What is written on it',
      examples: ['Fiction'],
    })
    expect(components.schemas.LabelsShelfRelationship.description).to.equal('Where it hangs')
  })

  it('marks members with deprecated() in responses and requests, and no others', async () => {
    const { components } = await fetched()
    for (const name of ['LabelsAttributes', 'LabelsCreateAttributes', 'LabelsUpdateAttributes']) {
      const { text, caption } = components.schemas[name].properties
      expect(caption.deprecated, name).to.equal(true)
      expect(text, name).not.to.have.property('deprecated')
    }
    expect(components.schemas.LabelsShelfRelationship.deprecated).to.equal(true)
  })

  it('describes operations by describeOperation, or by descriptions when it returns undefined', async () => {
    const { paths } = await fetched()
    expect(paths['/labels'].post.description).to.equal('Writes a label.')
    expect(paths['/labels/{id}'].patch.description).to.equal('Corrects a label.')
  })

  it('contains title, version and used tags of the options', async () => {
    const tags = [{ name: 'Shelves', description: 'Where books stand.' }, { name: 'Unused' }, { name: 'Library' }]
    const { info, tags: described } = await fetched({ info: { title: 'Books', version: '2.0.0' }, tags })
    expect(info).to.deep.equal({ title: 'Books', version: '2.0.0', 'x-generator': { contract: 1 } })
    expect(described).to.deep.equal([
      { name: 'Shelves', description: 'Where books stand.' },
      { name: 'Library', description: 'Resources of type labels.' },
    ])
  })

  it('contains the configured security schemes, and omits invalid ones with their requirement', async () => {
    const schemes = {
      token: { type: 'bearer' },
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      login: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example/.well-known/openid-configuration' },
      incomplete: { type: 'apiKey', in: 'header' },
      unsupported: { type: 'password' },
    }
    const security = { schemes, defaultRequirement: ['token', 'incomplete', 'key'] }
    const document = await fetched({ security })
    expect(document.components.securitySchemes).to.have.keys('token', 'key', 'login')
    expect(document.components.securitySchemes.token).to.deep.equal({ type: 'http', scheme: 'bearer' })
    expect(document.security).to.deep.equal([{ token: [] }, { key: [] }])
  })

  it('applies decorators in the order of their priority', async () => {
    const note = (text: string, priority?: number) => ({
      ...(priority !== undefined && { priority }),
      decorate: (document: OpenApiDocument, server: string) => {
        document['x-notes'] = [...((document['x-notes'] ?? []) as string[]), `${text} ${server}`]
        return undefined
      },
    })
    const document = await fetched({ decorators: [note('last', 5), note('first', -5), note('middle')] })
    expect(document['x-notes']).to.deep.equal(['first default', 'middle default', 'last default'])
  })

  it('stops the start of the application if a decorator throws', async () => {
    const faulty = openapi({
      decorators: [
        {
          decorate() {
            throw new Error('The decorator is faulty.')
          },
        },
      ],
    })
    const build = () => buildApp({ plugins: plugins.map((plugin) => (plugin.name === 'openapi' ? faulty : plugin)) })
    const failure = await build().catch((error: Error) => error.message)
    expect(failure).to.equal('The decorator is faulty.')
  })

  it('and the JSON Schemas describe each server once, at boot', async () => {
    const described: string[] = []
    const counting: Plugin = { name: 'counting', describe: ({ server }) => void described.push(server.name) }
    running = await startApp({ plugins: [...plugins, counting] })
    const atBoot = [...described]
    const paths = ['/schemas.json', '/admin/schemas.json', '/docs.json', '/admin/docs.json']
    for (const path of paths) expect((await running.client.get(path)).status, path).to.equal(200)
    expect(atBoot).to.deep.equal(['default', 'admin'])
    expect(described).to.deep.equal(atBoot)
  })

  it('has the JSON Schemas of each server when the mode is combined', async () => {
    const schemasIn = async (mode: 'combined' | 'perServer') => {
      const changed = openapi({ mode })
      const app = await startApp({ plugins: plugins.map((plugin) => (plugin.name === 'openapi' ? changed : plugin)) })
      const texts = await Promise.all(
        ['/schemas.json', '/admin/schemas.json'].map(async (path) => (await app.client.get(path)).text),
      )
      await app.close()
      return texts
    }
    expect(await schemasIn('combined')).to.deep.equal(await schemasIn('perServer'))
  })

  it('returns 404 and adds no links when enabled is false', async () => {
    const client = await start({ enabled: false })
    expect((await client.get('/docs.json')).status).to.equal(404)
    expect((await client.get('/schemas.json')).status).to.equal(404)
    expect((await client.get('/labels')).text).not.to.include('describedby')
  })

  it('describes all servers in one document when the mode is combined', async () => {
    const combined = openapi({ mode: 'combined' })
    running = await startApp({ plugins: plugins.map((plugin) => (plugin.name === 'openapi' ? combined : plugin)) })
    const { client } = running
    const { paths, components } = JSON.parse((await client.get('/docs.json')).text)
    expect(paths['/albums'].get.operationId).to.equal('fetchCollection.albums')
    expect(paths['/admin/albums'].get.operationId).to.equal('admin.fetchCollection.albums')
    expect(components.schemas).to.include.keys('AlbumsResource', 'AdminAlbumsResource')
    expect((await client.get('/admin/docs.json')).status).to.equal(404)
    expect(JSON.parse((await client.get('/admin/albums')).text).links.describedby).to.equal(`${client.url}/docs.json`)
  })

  it('describes a menu of paginators as one of several objects with the discriminator kind', async () => {
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

  it('fails at boot when tags are blank or repeated, or when two types have the same schema name', async () => {
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
      .to.include('A tag must not be blank.')
      .and.to.include("'nothing' is not an attribute that a function computes.")
      .and.to.include('A tag is listed twice.')
      .and.to.include("The OpenAPI schemas of this type and of 'la-bels' would have the same name: LaBels.")
  })
})
