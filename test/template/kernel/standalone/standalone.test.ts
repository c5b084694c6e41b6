import { expect } from 'chai'
import { defineType, type Hydrator, type Persister, type Provider, type Serializer } from '#kernel'
import { memoryStore } from '#memory'
import type { TestApp } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { declared } from '#test/template/specification/library-app.ts'
import { expectError, expectPlain404, readIds } from '#test/template/specification/support.ts'
import { startLibrary } from '#test/template/support/library/index.ts'

interface City {
  id: string
  name: string
  people: number
  twins: string[]
  mayor: string | null
}

interface Person {
  id: string
  name: string
}

describe('A type with its own serializer, hydrator, provider and persister', () => {
  let library: TestApp
  let client: Client

  beforeEach(async () => {
    library = await startLibrary({ resources: declared(cities(), people, seals) })
    client = library.client
  })
  afterEach(() => library.close())

  it('is rendered by its serializer, with linkage and includes, without a statement', async () => {
    const statements = await statementsOf(async () => {
      const { body } = await client.get('/towns/rome?include=twins')
      expect(body.data).to.deep.equal({
        type: 'cities',
        id: 'rome',
        links: { self: `${client.url}/towns/rome` },
        attributes: { name: 'ROME', size: 'large' },
        relationships: {
          mayor: {
            data: { type: 'people', id: 'ada' },
            links: { self: `${client.url}/towns/rome/relationships/mayor` },
          },
          twins: {
            data: [{ type: 'cities', id: 'paris' }],
            links: {
              self: `${client.url}/towns/rome/relationships/twins`,
              related: `${client.url}/towns/rome/twins`,
            },
          },
        },
      })
      expect(readIds(body.included)).to.deep.equal(['paris'])
    })
    expect(statements).to.deep.equal([])
  })

  it('is written by its hydrator and its persister', async () => {
    const data = {
      type: 'cities',
      id: 'oslo',
      attributes: { name: 'Oslo', inhabitants: '700000' },
      relationships: { twins: { data: [{ type: 'cities', id: 'rome' }] } },
    }
    const { status, body } = await client.post('/towns', { data })
    expect(status).to.equal(201)
    expect(body.data.attributes).to.deep.equal({ name: 'OSLO', size: 'large' })
    expect(readIds((await client.get('/towns/oslo/twins')).body.data)).to.deep.equal(['rome'])
    const renamed = { type: 'cities', id: 'oslo', attributes: { name: 'Kristiania' } }
    expect((await client.patch('/towns/oslo', { data: renamed })).body.data.attributes.name).to.equal('KRISTIANIA')
    expect((await client.delete('/towns/oslo')).status).to.equal(405)
  })

  it('returns 422 when the hydrator throws, and stores nothing', async () => {
    const data = { type: 'cities', id: 'atlantis', attributes: { name: 'Atlantis', inhabitants: 'none' } }
    expectError(await client.post('/towns', { data }), 422, 'ATTRIBUTE_VALUE_INVALID', { pointer: '/data' })
    expectError(await client.get('/towns/atlantis'), 404, 'RESOURCE_NOT_FOUND')
  })

  it('returns 405 for operations that it does not declare, and 404 at its type name when uriType differs', async () => {
    expect((await client.get('/seals')).status).to.equal(405)
    expect((await client.get('/people/ada')).status).to.equal(405)
    expectPlain404(await client.get('/cities'))
  })

  it('is read by its provider', async () => {
    providerCalls.length = 0
    await client.get('/towns/rome')
    expect(providerCalls).to.deep.equal(['one rome'])
  })
})

const providerCalls: string[] = []

const serializer: Serializer<City> = {
  attributes: {
    name: ({ name }) => name.toUpperCase(),
    size: ({ people: inhabitants }) => (inhabitants > 500_000 ? 'large' : 'small'),
  },
}

const hydrator: Hydrator<City> = {
  hydrate(city, { name, inhabitants }, { creating }) {
    if (typeof name === 'string') city.name = name
    if (inhabitants !== undefined || creating) city.people = toNumber(inhabitants)
  },
}

function toNumber(value: unknown): number {
  const number = Number(value)
  if (Number.isNaN(number)) throw new Error('The number of inhabitants is invalid.')
  return number
}

function cities() {
  const { provider, persister } = memoryStore([
    { id: 'rome', name: 'Rome', people: 2_700_000, twins: ['paris'], mayor: 'ada' },
    { id: 'paris', name: 'Paris', people: 2_100_000, twins: [], mayor: null },
  ])
  const recordingProvider: Provider = {
    ...provider,
    one(type, key, query, context, options) {
      providerCalls.push(`one ${key}`)
      return provider.one(type, key, query, context, options)
    },
  }
  return defineType<City>()({
    type: 'cities',
    uriType: 'towns',
    id: ({ id }) => id().requireClientId().pattern('[a-z]+'),
    serializer,
    hydrator,
    relations: ({ belongsTo, hasMany }) => [
      belongsTo('mayor', 'people').withoutRelatedEndpoint(),
      hasMany('twins', 'cities'),
    ],
    provider: recordingProvider,
    persister: persister satisfies Persister,
    operations: ['FetchCollection', 'FetchOne', 'Create', 'Update'],
  })
}

const people = defineType<Person>({
  type: 'people',
  serializer: { attributes: { name: ({ name }) => name } },
  provider: memoryStore([{ id: 'ada', name: 'Ada' }]).provider,
})

const seals = defineType<Person>({ type: 'seals', serializer: { attributes: { name: ({ name }) => name } } })
