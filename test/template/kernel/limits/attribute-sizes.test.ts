import { expect } from 'chai'
import type { ResourceType } from '#kernel'
import type { Server } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { as } from '#test/support/principals.ts'

// A stored text is part of every document of its row, so each text attribute has a maximum length.

/** Tracks are the example of a type without limits; other tests store long values in them. */
const unlimited = ['tracks.title']

const kinds = ['string', 'url', 'email', 'slug']

describe('Texts of 100,000 characters', () => {
  let catalog: TestApp

  before(async () => {
    catalog = await catalogue()
  })

  it('returns 422 for every writable text attribute of every type but tracks', async () => {
    const accepted: string[] = []
    for (const server of catalog.app.servers) {
      for (const type of server.types.values()) {
        if (type.operations.has('Create')) accepted.push(...(await acceptedTexts(server, type)))
      }
    }
    expect(accepted).to.deep.equal(unlimited)
  })

  /** Returns the attributes without an error. */
  const acceptedTexts = async ({ prefix }: Server, { name, uriType, attributes, id }: ResourceType) => {
    const texts = attributes.filter(({ kind, readOnlyOnCreate }) => kinds.includes(kind) && readOnlyOnCreate !== true)
    if (texts.length === 0) return []
    const sent = Object.fromEntries(texts.map((attribute) => [attribute.name, 'a'.repeat(100_000)]))
    const ownId = id.clientId === 'required' ? { id: 'new' } : {}
    const body = { data: { type: name, ...ownId, attributes: sent } }
    const response = await catalog.client.post(`${prefix}/${uriType}`, body, as('admin'))
    const { errors = [] } = response.body
    const pointers = errors.map(({ source }: { source: { pointer: string } }) => source.pointer)
    const isAccepted = (attribute: string) => !pointers.includes(`/data/attributes/${attribute}`)
    return Object.keys(sent)
      .filter(isAccepted)
      .map((attribute) => `${name}.${attribute}`)
  }
})
