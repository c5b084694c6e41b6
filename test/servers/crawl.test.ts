import { expect } from 'chai'
import type { App, Server } from '#kernel/plugin'
import { addRows } from '#test/prove/rows.ts'
import { markDirty } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { crawl } from '#test/support/crawl.ts'

// Links are followed on the server that emitted them. Here a few of each kind; all of them by npm run test:endurance.

describe('Every link leads somewhere', () => {
  let app: App
  let client: Client

  before(async () => {
    ;({ app, client } = await catalogue())
  })
  beforeEach(() => addRows(app, 1))
  afterEach(markDirty)

  for (const name of ['default', 'admin']) {
    it(`on the server ${name}: from every collection, with everything included`, async () => {
      const server = app.servers.find((one) => one.name === name) as Server
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
