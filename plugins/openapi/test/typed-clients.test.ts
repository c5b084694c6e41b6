import { expect } from 'chai'
import { defineResource } from '#kernel'
import { cursor, menu, offset, page } from '#plugins/pagination/index.ts'
import { buildApp as buildLibrary } from '#test/support/app.ts'
import { buildApp } from '#test/support/catalogue.ts'
import { Label } from '#test/template/support/library/entities.ts'
import { libraryDatabase } from '#test/template/support/library/index.ts'
import { describeApp, type OpenApiOptions } from '../index.ts'

// The shapes that generators of typed JSON:API clients read, such as haddowg/json-api-ts.

// biome-ignore lint/suspicious/noExplicitAny: the document is untyped JSON
type Part = any

describe('The OpenAPI document for typed JSON:API clients', () => {
  let document: Part
  let admin: Part
  before(async () => {
    const app = await buildApp()
    const documents = describeApp(app, {})
    document = documents.get('default')
    admin = documents.get('admin')
    await app.close()
  })

  const schema = (name: string, from = document): Part => from.components.schemas[name]
  const linkage = (name: string, from = document): Part => schema(`${name}Relationship`, from).properties.data
  const identifier = (name: string) => ({ $ref: `#/components/schemas/${name}ResourceIdentifier` })

  it('describes an identifier with pivot fields as allOf of the identifier and an object with meta.pivot', () => {
    const [first, second] = linkage('PlaylistsOrderedTracks').items.allOf
    expect(first).to.deep.equal(identifier('Tracks'))
    expect(second.properties.meta.properties.pivot.$ref).to.match(/PlaylistsOrderedTracksPivot$/)
    const { data } =
      schema('PlaylistsUpdateRequest').properties.data.properties.relationships.properties.orderedTracks.properties
    expect(data.items.allOf[0]).to.deep.equal(identifier('Tracks'))
    expect(data.items.allOf[1].properties.meta.properties.pivot.$ref).to.match(/PivotInput$/)
  })

  it('describes polymorphic linkage as anyOf with a discriminator, nested in anyOf with null for a to-one', () => {
    const targets = {
      anyOf: ['Tracks', 'Albums', 'Artists'].map(identifier),
      discriminator: {
        propertyName: 'type',
        mapping: {
          tracks: identifier('Tracks').$ref,
          albums: identifier('Albums').$ref,
          artists: identifier('Artists').$ref,
        },
      },
    }
    expect(linkage('LibrariesItems')).to.deep.equal({ type: 'array', items: targets })
    expect(linkage('FavoritesFavoritable')).to.deep.equal({ anyOf: [targets, { type: 'null' }] })
  })

  it('requires the members of a variant that every response has, and those that rules require in requests', () => {
    const vinyl = ({ anyOf: [{ oneOf }] }: Part): Part => oneOf.find((one: Part) => 'rpm' in one.properties)
    expect(vinyl(schema('ReleasesAttributes').properties.format).required).to.deep.equal(['medium', 'rpm', 'coloured'])
    expect(vinyl(schema('ReleasesCreateAttributes').properties.format).required).to.deep.equal(['medium', 'rpm'])
  })

  it('allows null beside an object with allOf', () => {
    const { anyOf } = schema('ReleasesUpdateAttributes').properties.dimensions
    expect(anyOf[0].allOf).to.have.length(2)
    expect(anyOf[1]).to.deep.equal({ type: 'null' })
  })

  it('describes the linkage of relations to types of another server', () => {
    expect(linkage('PlaylistsOwner')).to.deep.equal({ anyOf: [identifier('Users'), { type: 'null' }] })
    expect(linkage('AlbumsTracks', admin)).to.deep.equal({ type: 'array', items: identifier('Tracks') })
    expect(linkage('LibrariesItems', admin).items.anyOf).to.deep.equal(['Tracks', 'Albums', 'Artists'].map(identifier))
    expect(schema('TracksResourceIdentifier', admin).properties.type.const).to.equal('tracks')
  })

  it('names the component of an enumeration as enumName() says', () => {
    for (const name of ['AlbumsAttributes', 'AlbumsCreateAttributes', 'AlbumsUpdateAttributes'])
      expect(schema(name).properties.status).to.include({ $ref: '#/components/schemas/AlbumStatus' })
    expect(schema('AlbumStatus').enum).to.deep.equal(['upcoming', 'released', 'withdrawn'])
  })

  it('describes UUIDs by their format, items of lists by their type, and computed values without null', () => {
    expect(schema('PlaylistsResourceIdentifier').properties.id.format).to.equal('uuid')
    expect(document.paths['/playlists/{id}'].parameters[0].schema.format).to.equal('uuid')
    expect(schema('PlaylistsAttributes').properties.externalId.format).to.equal('uuid')
    expect(schema('TracksAttributes').properties.genres).to.deep.equal({ type: 'array', items: { type: 'string' } })
    expect(schema('TracksAttributes').properties.displayTitle).to.deep.equal({ type: 'string' })
    expect(schema('ArtistsAttributes').properties.trackCount).to.deep.equal({ type: 'integer' })
  })

  it('has items in every array schema and no empty object as default value', () => {
    const visit = (part: Part, path: string): string[] => {
      if (typeof part !== 'object' || part === null) return []
      const isArray = [part.type].flat().includes('array') && !('items' in part)
      const isEmpty = part.default && JSON.stringify(part.default) === '{}'
      return [
        ...(isArray || isEmpty ? [path] : []),
        ...Object.entries(part).flatMap(([key, inner]) => visit(inner, `${path}/${key}`)),
      ]
    }
    for (const whole of [document, admin]) expect(visit(whole, '')).to.deep.equal([])
  })
})

describe('The option pageParameters of openapi()', () => {
  const labels = defineResource(Label, {
    type: 'labels',
    fields: ({ id, string }) => [id(), string('text')],
    pagination: () => menu(page({ size: 3 }), offset(), cursor()),
  })

  /** Returns the parameters of a list whose name begins with `page`. */
  const pageParameters = (app: Parameters<typeof describeApp>[0], path: string, options: OpenApiOptions): Part[] => {
    const document: Part = describeApp(app, options).get('default')
    return document.paths[path].get.parameters.filter(({ name }: Part) => name?.startsWith('page'))
  }

  it('describes one parameter per member of page when it is flat', async () => {
    const app = await buildApp()
    const flat = pageParameters(app, '/albums', { pageParameters: 'flat' })
    const object = pageParameters(app, '/albums', {})
    await app.close()
    expect(flat.map(({ name }) => name)).to.deep.equal(['page[number]', 'page[size]'])
    expect(flat[1]).to.deep.equal({
      in: 'query',
      'x-paginator': 'page',
      name: 'page[size]',
      description: 'The maximum number of items on the page.',
      schema: { type: 'integer', minimum: 0, maximum: 50, default: 15 },
    })
    expect(object.map(({ name, example }) => [name, example])).to.deep.equal([['page', { number: 1, size: 15 }]])
  })

  it('describes the members of all strategies of a menu when it is flat', async () => {
    const app = await buildLibrary({
      resources: [{ file: 'test', resource: labels }],
      database: await libraryDatabase(),
    })
    const flat = pageParameters(app, '/labels', { pageParameters: 'flat' })
    await app.close()
    expect(flat.map(({ name }) => name)).to.deep.equal(
      ['kind', 'number', 'size', 'offset', 'limit', 'after', 'before'].map((name) => `page[${name}]`),
    )
    expect(flat[0].schema).to.deep.equal({ type: 'string', enum: ['page', 'offset', 'cursor'] })
  })
})
