import { join } from 'node:path'
import { expect } from 'chai'
import { markDirty } from '../support/app.ts'
import { catalogue } from '../support/catalogue.ts'
import { expected } from './others/cycle.ts'

// Clients as others have written them, which know nothing of this service. What each is told besides is in docs/clients.md.

describe('Clients of others', () => {
  afterEach(markDirty)

  for (const name of ['kitsu', 'devour', 'orbit', 'warp-drive']) {
    it(`${name}: lists, pages, includes, creates, updates, changes relationships, deletes, and is told what is wrong`, async () => {
      const { client } = await catalogue()
      const { useClient } = await import(join(import.meta.dirname, 'others', `${name}.ts`))
      expect(await useClient(client.url)).to.deep.equal(expected)
    })
  }
})
