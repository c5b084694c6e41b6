import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import type { Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { catalogue, startApp } from '#test/support/catalogue.ts'
import { as } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'

// The statement of a parent also reads the page of its related URL. It equals the page of a provider that reads pages on their own.

const separate: Plugin = {
  name: 'separate-pages',
  onCompile({ types }) {
    for (const type of types.values()) Object.assign(type, { provider: { ...type.provider, joinsPage: () => false } })
  },
}

const { app, client } = await catalogue()
const relations = [...app.registry.types.values()]
  .filter(({ operations, servers }) => servers.includes('default') && operations.has('FetchCollection'))
  .flatMap((type) => type.relations)
  .filter(({ kind }) => ['hasOne', 'hasMany', 'belongsToMany'].includes(kind))
const principals = { 'an administrator': as('admin'), 'an anonymous caller': {} }
const queries = [
  '',
  '?page[size]=2',
  '?page[size]=2&page[number]=2',
  '?page[number]=90',
  '?withCount=_self_',
  '?sort=-id',
]

describe('A related page that is read by the statement of its parent', () => {
  let other: TestApp
  before(async () => {
    other = await startApp({ plugins: [...plugins, separate], undescribed: ['default', 'admin'] })
  })
  after(() => other.close())

  for (const { owner, segment } of relations) {
    for (const [principal, headers] of Object.entries(principals)) {
      it(`equals the page read on its own for ${owner.name}/${segment} and ${principal}`, async () => {
        const { body } = await client.get(`/${owner.uriType}?page[size]=5`, headers)
        const ids = [...(body.data ?? []).map(({ id }: { id: string }) => id), '00000000-0000-4000-8000-0000000000ff']
        for (const id of ids) {
          for (const query of queries) {
            for (const path of [
              `/${owner.uriType}/${id}/${segment}`,
              `/${owner.uriType}/${id}/relationships/${segment}`,
            ]) {
              const [joined, alone] = await Promise.all(
                [client, other.client].map((service) => service.get(path + query, headers)),
              )
              expect(withoutHost(joined?.text), path + query).to.equal(withoutHost(alone?.text))
              expect(joined?.status).to.equal(alone?.status)
            }
          }
        }
      })
    }
  }

  it('needs one statement, and two on its own', async () => {
    const costOf = async (service: TestApp['client']) => {
      const statements = await statementsOf(async () => {
        expect((await service.get('/albums/1/relationships/tracks')).status).to.equal(200)
      })
      return statements.length
    }
    expect(await costOf(client)).to.equal(1)
    expect(await costOf(other.client)).to.be.above(1)
  })
})

/** Without the port and without the ids of errors, which differ between the two applications. */
function withoutHost(text = ''): string {
  return text
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '')
    .replaceAll(/"id":"[\da-f-]{36}(\.\d+)?","(?=links|status)/g, '"')
}
