import { expect } from 'chai'
import { catalogue } from '#test/support/catalogue.ts'
import { as } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'

// The statement of one resource joins its to-one includes; a collection reads them by a statement of their own.

const { app, client } = await catalogue()
const reads = ['FetchOne', 'FetchCollection'] as const
const relations = [...app.registry.types.values()]
  .filter(({ operations, servers }) => servers.includes('default') && reads.every((name) => operations.has(name)))
  .flatMap((type) => type.relations)
  .filter(({ kind }) => kind === 'belongsTo')
const principals = { 'an administrator': as('admin'), 'an anonymous caller': {} }

interface Identifier {
  readonly type: string
  readonly id: string
}

describe('A to-one include of one resource', () => {
  for (const { owner, name } of relations) {
    for (const [principal, headers] of Object.entries(principals)) {
      it(`equals the include of the collection for ${owner.name}.${name} and ${principal}`, async () => {
        const query = `include=${name}`
        const { body: collection } = await client.get(`/${owner.uriType}?${query}&page[size]=10`, headers)
        for (const resource of collection.data ?? []) {
          const { body } = await client.get(`/${owner.uriType}/${resource.id}?${query}`, headers)
          const { data: related } = resource.relationships[name]
          expect(body.data).to.deep.equal(resource)
          expect(body.included).to.deep.equal(collection.included.filter((other: Identifier) => isSame(other, related)))
        }
      })
    }
  }

  it('is read by the statement of the resource', async () => {
    const statements = await statementsOf(async () => {
      expect((await client.get('/releases/1?include=album')).status).to.equal(200)
    })
    expect(statements).to.have.length(1)
  })
})

function isSame(resource: Identifier, other: Identifier | null): boolean {
  return resource.type === other?.type && resource.id === other.id
}
