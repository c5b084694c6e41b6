import { join } from 'node:path'
import { expect } from 'chai'
import { markDirty } from '../../support/app.ts'
import { catalogue } from '../../support/catalogue.ts'
import { expected } from './others/cycle.ts'

// Third-party JSON:API clients. docs/clients.md lists the settings of each.

describe('Third-party clients', () => {
  afterEach(markDirty)

  for (const name of ['kitsu', 'devour', 'orbit', 'warp-drive']) {
    it(`${name} lists, pages, includes, creates, updates, changes relationships, deletes, and receives errors`, async () => {
      const { client } = await catalogue()
      const { useClient } = await import(join(import.meta.dirname, 'others', `${name}.ts`))
      expect(await useClient(client.url)).to.deep.equal(expected)
    })
  }
})
