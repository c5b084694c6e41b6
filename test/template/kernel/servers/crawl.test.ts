import { expect } from 'chai'
import type { App, Server } from '#kernel/plugin'
import { addRows } from '#test/conformance/rows.ts'
import { markDirty } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { crawl } from '#test/template/support/crawl.ts'

// Follows links on the server that returned them: some of each kind here, all in npm run template -- endurance.

describe('Links in documents', () => {
  let app: App
  let client: Client

  before(async () => {
    ;({ app, client } = await catalogue())
  })
  beforeEach(() => addRows(app, 1))
  afterEach(markDirty)

  for (const name of ['default', 'admin']) {
    it(`return 200 when followed from every collection of the server ${name}, with all includes`, async () => {
      const server = app.servers.find((candidate) => candidate.name === name) as Server
      const visited = await crawl(client, server, 2)
      for (const { operations, emitsSelfLink, uriType, relations } of server.types.values()) {
        const within = (pattern: string) => visited.filter((path) => new RegExp(`^/${uriType}/${pattern}$`).test(path))
        if (operations.has('FetchOne') && emitsSelfLink) expect(within('[^/?]+'), uriType).not.to.be.empty
        if (relations.some(({ hasLinks }) => hasLinks)) {
          expect(within('[^/]+/relationships/.+'), `linkage of ${uriType}`).not.to.be.empty
        }
      }
    })
  }
})
