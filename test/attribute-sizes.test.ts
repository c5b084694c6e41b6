import { expect } from 'chai'
import type { ResourceType, Server } from '#kernel'
import type { TestApp } from './support/app.ts'
import { catalogue } from './support/catalogue.ts'
import { as } from './support/principals.ts'

// A stored text is part of every document that shows its row, so each has a maximum length.

const kinds = ['string', 'url', 'email', 'slug']

describe('Texts of 100,000 characters', () => {
  let catalog: TestApp

  before(async () => {
    catalog = await catalogue()
  })

  it('returns 422 for every writable text attribute of every type', async () => {
    const accepted: string[] = []
    for (const server of catalog.app.servers) {
      for (const type of server.types.values()) {
        if (type.operations.has('Create')) accepted.push(...(await acceptedTexts(server, type)))
      }
    }
    expect(accepted).to.deep.equal([])
  })

  it('returns 422 when an array has more entries than it may have', async () => {
    const genres = Array.from({ length: 21 }, (_, index) => `genre ${index}`)
    const data = { type: 'tracks', attributes: { title: 'New', trackNumber: 1, genres } }
    const { status, body } = await catalog.client.post('/tracks', { data })
    expect(status).to.equal(422)
    expect(body.errors[0].source).to.deep.equal({ pointer: '/data/attributes/genres' })
  })

  /** The attributes that no error points at. */
  const acceptedTexts = async ({ prefix }: Server, { name, uriType, attributes, id }: ResourceType) => {
    const texts = attributes.filter(({ kind, readOnlyOnCreate }) => kinds.includes(kind) && readOnlyOnCreate !== true)
    if (texts.length === 0) return []
    const sent = Object.fromEntries(texts.map((attribute) => [attribute.name, 'a'.repeat(100_000)]))
    const ownId = id.clientId === 'required' ? { id: 'new' } : {}
    const body = { data: { type: name, ...ownId, attributes: sent } }
    const answer = await catalog.client.post(`${prefix}/${uriType}`, body, as('admin'))
    expect(answer.status, name).to.equal(422)
    const pointers = answer.body.errors.map(({ source }: { source: { pointer: string } }) => source.pointer)
    const isAccepted = (attribute: string) => !pointers.includes(`/data/attributes/${attribute}`)
    return Object.keys(sent)
      .filter(isAccepted)
      .map((attribute) => `${name}.${attribute}`)
  }
})
