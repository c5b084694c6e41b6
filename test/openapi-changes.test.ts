import { expect } from 'chai'
import { compareDocuments } from '../scripts/support/openapi-changes.ts'
import { catalogue } from './support/catalogue.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents are changed freely
type Part = any

describe('Changes of an OpenAPI document', () => {
  let document: Part
  before(async () => {
    document = JSON.parse((await (await catalogue()).client.get('/docs.json')).text)
  })
  const changes = (change: (document: Part) => void, turned = false): string[] => {
    const other = structuredClone(document)
    change(other)
    const found = turned ? compareDocuments(other, document) : compareDocuments(document, other)
    return found.map(({ location, message, isBreaking }) => `${isBreaking ? 'BREAKING ' : ''}${location}: ${message}`)
  }

  it('says nothing of a document that has not changed', () => {
    expect(changes(() => {})).to.deep.equal([])
  })

  it('names operations that are gone as breaking, and new ones as not', () => {
    const remove = ({ paths }: Part) => delete paths['/albums'].post
    expect(changes(remove)).to.deep.equal(['BREAKING POST /albums: is gone'])
    expect(changes(remove, true)).to.deep.equal(['POST /albums: is new'])
  })

  it('names parameters and successes that are gone as breaking', () => {
    const remove = ({ paths }: Part) => {
      paths['/albums'].get.parameters.pop()
      delete paths['/albums/{id}'].delete.responses[204]
    }
    const [parameter, ...others] = changes(remove)
    expect(parameter).to.match(/^BREAKING GET \/albums: no longer takes /)
    expect(others).to.deep.equal(['BREAKING DELETE /albums/{id}: no longer answers 204'])
  })

  it('names what an answer no longer shows as breaking, and what it shows besides as not', () => {
    const remove = ({ components }: Part) => delete components.schemas.AlbumsAttributes.properties.artwork
    expect(changes(remove)).to.deep.equal(['BREAKING AlbumsAttributes.artwork: is gone'])
    expect(changes(remove, true)).to.deep.equal(['AlbumsAttributes.artwork: is new'])
  })

  it('names what a request must say besides as breaking, and what it need not say any more as not', () => {
    const demand = ({ components }: Part) => components.schemas.AlbumsCreateAttributes.required.push('status')
    expect(changes(demand)).to.deep.equal(['BREAKING AlbumsCreateAttributes.status: is required'])
    expect(changes(demand, true)).to.deep.equal(['AlbumsCreateAttributes.status: is no longer required'])
  })

  it('names a type that changes as breaking where a client could stumble over it', () => {
    const widen = ({ components }: Part) => {
      components.schemas.AlbumsAttributes.properties.title.type = ['string', 'null']
    }
    expect(changes(widen)).to.deep.equal(['BREAKING AlbumsAttributes.title: was ["string"], is ["null","string"]'])
    expect(changes(widen, true)).to.deep.equal(['AlbumsAttributes.title: was ["null","string"], is ["string"]'])
  })

  it('names a stricter request as breaking, and values that are not taken any more', () => {
    const narrow = ({ components }: Part) => {
      components.schemas.AlbumsCreateAttributes.properties.title.maxLength = 100
      components.schemas.AlbumsStatusEnum.enum.pop()
    }
    expect(changes(narrow)).to.include.members([
      'BREAKING AlbumsCreateAttributes.title: maxLength was 200, is 100',
      'BREAKING AlbumsStatusEnum: no longer knows "withdrawn"',
    ])
  })
})
