import { expect } from 'chai'
import { loadMigrations } from '#discovery'
import { openTestDatabase } from '#test/support/database.ts'
import { fillStatements } from '#test/template/proofs/live/rows.ts'
import { requesters, runLive } from '#test/template/proofs/live/run-live.ts'
import { livePlugins, startWorld } from '#test/template/proofs/live/world.ts'
import { createLibraryTables, libraryEntities } from '#test/template/support/library/index.ts'

// A short form of `npm run template -- prove live`, which also kills processes.

/** Without the requesters that are denied nothing but writes. */
const readers = requesters.filter(({ denial }) => denial === null || ['scope', 'view', 'trashed'].includes(denial))

describe('Live collections under random writes', () => {
  for (const changesPolicies of [false, true]) {
    const recheck = changesPolicies ? 3 : 3_600
    const condition = changesPolicies ? 'policies change' : 'collections are not read again without a change'

    it(`agree with the collection of every requester when ${condition}`, async function () {
      this.timeout(600_000)
      const migrations = await loadMigrations({ root: '', folders: [] }, livePlugins)
      const database = await openTestDatabase({ entities: libraryEntities, migrations })
      await createLibraryTables(database)
      const world = await startWorld(database, recheck, readers)
      try {
        await world.write(fillStatements())
        const deployment = {
          isServer: database.kind === 'server',
          requesters: readers,
          urlFor: (requester: number) => world.urls[requester] as string,
          write: world.write,
          deny: async (denied: Parameters<typeof world.deny>[0]) => world.deny(denied),
        }
        const options = { seed: 1, writes: 20, kills: 0, changesPolicies, patience: 150 }
        const { violations, committed, events } = await runLive(deployment, options)
        expect(violations).to.deep.equal([])
        expect(committed).to.be.above(10)
        expect(events).to.be.above(readers.length)
      } finally {
        await world.close()
        await database.close()
      }
    })
  }
})
