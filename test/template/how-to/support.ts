import { expect } from 'chai'
import { plugins as listed } from '#app/plugins.ts'
import { declaredResources } from '#app/resources.ts'
import { discover, loadEntities, loadMigrations, loadSeeds } from '#discovery'
import { bearerAuth } from '#plugins/bearer-auth/index.ts'
import { type Database, migrate, type Seed, seed } from '#store'
import { root, startApp, type TestApp, type TestAppOptions } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'
import { openTestDatabase } from '#test/support/database.ts'
import { expectExchange, readGuide } from '#test/template/support/guides.ts'

// Runs the pages of docs/how-to. The files of a page lie in test/template/how-to/<page>, as in a project: resources/, plugins/.

export interface RecipeOptions extends Omit<TestAppOptions, 'database' | 'resources'> {
  /** Roles by development token, instead of those of the project. */
  readonly tokens?: Readonly<Record<string, readonly string[]>>
}

export interface Recipe extends TestApp {
  readonly database: Database
}

/**
 * Starts an application with the resources of the page on a database of its own, and loads their seeds. The tables are
 * created by the migrations of the page, or by its entities if it has no migrations.
 */
export async function startRecipe(page: string, { tokens, ...options }: RecipeOptions = {}): Promise<Recipe> {
  const plugins = withTokens(options.plugins ?? listed, tokens)
  const discovery = await discover(root, [`test/template/how-to/${page}/resources`])
  expect(discovery.faults).to.deep.equal([])
  const migrations = await loadMigrations(discovery, plugins)
  const database = await openTestDatabase({ entities: await loadEntities(discovery), migrations })
  if (discovery.folders.every((folder) => folder.migrations.length === 0)) await database.orm.schema.create()
  await migrate(database)
  await seed(database, await loadSeeds<Seed>(discovery))
  const resources = await declaredResources(discovery)
  const started = await startApp({ onWrite: () => {}, ...options, plugins, resources, database })
  return {
    ...started,
    database,
    async close() {
      await started.close()
      await database.close()
    },
  }
}

/** Sends the requests of docs/how-to/<page>.md in their order, and compares the responses with those of the page. */
export async function runRecipe(page: string, { client }: { readonly client: Client }): Promise<void> {
  const { exchanges } = readGuide(`how-to/${page}.md`)
  expect(exchanges, 'requests of the page').not.to.be.empty
  for (const exchange of exchanges) await expectExchange(client, exchange)
}

function withTokens(plugins: NonNullable<RecipeOptions['plugins']>, tokens: RecipeOptions['tokens']) {
  if (!tokens) return plugins
  const authentication = bearerAuth({ developmentTokens: tokens })
  return plugins.map((plugin) => (plugin.name === authentication.name ? authentication : plugin))
}
