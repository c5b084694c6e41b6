import { expect } from 'chai'
import type { Database } from '#store'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { snapshotResources } from './resources.ts'
import { findTornReads, initialState, stateStatements } from './torn-reads.ts'

/** Fails if one of the documents shows more than one state of the database. */
export async function expectNoTornReads(reads: number): Promise<void> {
  const database = await libraryDatabase()
  await execute(database, initialState)
  const library = await startLibrary({ database, resources: snapshotResources })
  try {
    const write = async (state: number) => {
      await execute(database, stateStatements(state))
      // The embedded database in memory has no autovacuum: reads would become slower with every state.
      if (state % 1_000 === 0) await database.orm.em.getConnection().execute('vacuum')
    }
    const { torn, states } = await findTornReads({ url: library.client.url, reads, write })
    expect(torn).to.deep.equal([])
    expect(states).to.be.above(reads / 1_000)
  } finally {
    await library.close()
    await emptyLibrary()
  }
}

/** Runs the statements in one transaction. */
export function execute({ orm }: Database, statements: readonly string[]): Promise<void> {
  return orm.em.fork().transactional(async (em) => {
    for (const sql of statements) await em.execute(sql)
  })
}
