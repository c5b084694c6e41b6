import { closeCatalogue, takeDirty } from './app.ts'
import { closeTestDatabase, resetTestDatabase } from './database.ts'
import { closeLibrary } from './library/index.ts'

/** Every test finds exactly the demo data; it is loaded again only after a test that wrote. */
export const mochaHooks = {
  async beforeEach() {
    if (takeDirty()) await resetTestDatabase()
  },
  async afterAll() {
    await closeCatalogue()
    await closeLibrary()
    await closeTestDatabase()
  },
}
