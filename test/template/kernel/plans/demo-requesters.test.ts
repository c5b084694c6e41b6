import { expect } from 'chai'
import { type App, hasRelatedEndpoint, hasRelationshipEndpoint } from '#kernel/plugin'
import { buildUrl } from '#test/conformance/leaks/leak-request.ts'
import { startApp, type TestApp } from '#test/support/app.ts'
import { as } from '#test/support/principals.ts'
import { freezePlans } from '#test/template/support/freeze-plans.ts'
import { type Requester, readAs } from '#test/template/support/read-as.ts'

// The plans of every endpoint of the demo are made for one requester, and used for all; no request changes them.

const requesters: Readonly<Record<string, Requester>> = {
  anonymous: {},
  administrator: as('admin'),
  owner: as('ada@example.com'),
  'another user': as('mallory@example.com'),
}

describe('The plans of the demo', () => {
  const open: TestApp[] = []
  const start = async (maxPlans?: number): Promise<TestApp> => {
    const app = await startApp(maxPlans === undefined ? {} : { maxPlans })
    open.push(app)
    return app
  }
  const ended: (() => void)[] = []
  afterEach(() => {
    for (const end of ended.splice(0)) end()
  })
  after(async () => {
    for (const app of open) await app.close()
  })

  for (const name of ['administrator', 'anonymous']) {
    it(`are right for every requester when they were made for: ${name}`, async () => {
      const { app, client } = await start()
      const reference = await start(0)
      const paths = listPaths(app)
      const frozen = freezePlans(app, reference.app)
      ended.push(frozen.end)
      for (const path of paths)
        for (let time = 0; time < 2; time++) await readAs(client.url, path, requesters[name] ?? {})
      for (const [other, headers] of Object.entries(requesters)) {
        for (const path of paths) {
          const received = await readAs(client.url, path, headers)
          const expected = await readAs(reference.client.url, path, headers)
          expect(received, `${path} of ${other}`).to.deep.equal(expected)
        }
      }
      expect(frozen.count).to.be.above(paths.length)
    })
  }
})

/** The collection of every type, one resource, its related URLs and its linkage, on every server. */
function listPaths({ servers }: App): string[] {
  return servers.flatMap((server) =>
    [...server.types.values()].flatMap((type) => {
      const { exampleId } = type.declaration
      if (typeof exampleId !== 'string') return [buildUrl(server, type)]
      const url = buildUrl(server, type, exampleId)
      const relations = type.relations.flatMap((relation) => [
        ...(hasRelatedEndpoint(server, relation) ? [`${url}/${relation.segment}`] : []),
        ...(hasRelationshipEndpoint(relation) ? [`${url}/relationships/${relation.segment}`] : []),
      ])
      const trashed = type.declaration.softDeletes ? [`${buildUrl(server, type)}?filter[trashed]=with`] : []
      return [buildUrl(server, type), url, ...relations, ...trashed]
    }),
  )
}
