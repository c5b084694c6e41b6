import { expect } from 'chai'
import { catalogue } from '#test/support/catalogue.ts'
import { compareDocuments } from '../../../scripts/support/openapi-changes.ts'

// biome-ignore lint/suspicious/noExplicitAny: the test changes documents without types
type Part = any

describe('Changes of an OpenAPI document', () => {
  let document: Part
  before(async () => {
    document = JSON.parse((await (await catalogue()).client.get('/docs.json')).text)
  })
  const changes = (change: (document: Part) => void, reversed = false): string[] => {
    const other = structuredClone(document)
    change(other)
    const found = reversed ? compareDocuments(other, document) : compareDocuments(document, other)
    return found.map(({ location, message, isBreaking }) => `${isBreaking ? 'BREAKING ' : ''}${location}: ${message}`)
  }

  it('reports nothing when the document has not changed', () => {
    expect(changes(() => {})).to.deep.equal([])
  })

  it('reports removed operations as breaking and new ones as compatible', () => {
    const remove = ({ paths }: Part) => delete paths['/albums'].post
    expect(changes(remove)).to.deep.equal(['BREAKING POST /albums: is removed'])
    expect(changes(remove, true)).to.deep.equal(['POST /albums: is added'])
  })

  it('reports removed parameters and successes as breaking', () => {
    const remove = ({ paths }: Part) => {
      paths['/albums'].get.parameters.pop()
      delete paths['/albums/{id}'].delete.responses[204]
    }
    const [parameter, ...rest] = changes(remove)
    expect(parameter).to.match(/^BREAKING GET \/albums: no longer accepts /)
    expect(rest).to.deep.equal(['BREAKING DELETE /albums/{id}: no longer returns 204'])
  })

  it('reports removed attributes of responses as breaking and new ones as compatible', () => {
    const remove = ({ components }: Part) => delete components.schemas.AlbumsAttributes.properties.artwork
    expect(changes(remove)).to.deep.equal(['BREAKING AlbumsAttributes.artwork: is removed'])
    expect(changes(remove, true)).to.deep.equal(['AlbumsAttributes.artwork: is added'])
  })

  it('reports newly required attributes of requests as breaking and newly optional ones as compatible', () => {
    const demand = ({ components }: Part) => components.schemas.AlbumsCreateAttributes.required.push('status')
    expect(changes(demand)).to.deep.equal(['BREAKING AlbumsCreateAttributes.status: is required'])
    expect(changes(demand, true)).to.deep.equal(['AlbumsCreateAttributes.status: is no longer required'])
  })

  it('reports a wider type of a response as breaking and a narrower one as compatible', () => {
    const widen = ({ components }: Part) => {
      components.schemas.AlbumsAttributes.properties.title.type = ['string', 'null']
    }
    expect(changes(widen)).to.deep.equal(['BREAKING AlbumsAttributes.title: was ["string"], is ["null","string"]'])
    expect(changes(widen, true)).to.deep.equal(['AlbumsAttributes.title: was ["null","string"], is ["string"]'])
  })

  it('reports stricter request limits and removed enum values as breaking', () => {
    const narrow = ({ components }: Part) => {
      components.schemas.AlbumsCreateAttributes.properties.title.maxLength = 100
      components.schemas.AlbumStatus.enum.pop()
    }
    expect(changes(narrow)).to.include.members([
      'BREAKING AlbumsCreateAttributes.title: maxLength was 200, is 100',
      'BREAKING AlbumStatus: no longer has the value "withdrawn"',
    ])
  })
})
