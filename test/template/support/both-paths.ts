import { plugins } from '#app/plugins.ts'
import { addSteps, type DeclaredResource, type Plugin } from '#kernel/plugin'
import { startApp, type TestApp, type TestAppOptions } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/database.ts'

/** Two applications on one database: the first writes rows by statements of the store, the other by MikroORM. */
export interface BothPaths {
  readonly fast: TestApp
  readonly regular: TestApp
  execute(sql: string): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

/** Opens a database with the tables of the entities. `sql` is executed before they are created. */
export async function startBothPaths(
  entities: readonly object[],
  resources: readonly DeclaredResource['resource'][],
  sql?: string,
  options: Pick<TestAppOptions, 'undescribed'> = {},
): Promise<BothPaths> {
  const database = await openTestDatabase({ entities, migrations: [] })
  const execute = (text: string) => database.orm.em.getConnection().execute(text)
  if (sql) await execute(sql)
  await database.orm.schema.create()
  const declared = resources.map((resource) => ({ file: 'test/template/support/both-paths.ts', resource }))
  const start = (...added: readonly Plugin[]) =>
    startApp({ ...options, database, resources: declared, plugins: [...plugins, ...added], onWrite: () => {} })
  const fast = await start()
  const regular = await start({
    name: 'save-hook',
    plan: addSteps({
      beforeSave() {},
    }),
  })
  return {
    fast,
    regular,
    execute,
    async close() {
      await fast.close()
      await regular.close()
      await database.close()
    },
  }
}

/** Creates a resource of the type by either path. */
export const create = ({ client }: TestApp, type: string, attributes: object) =>
  client.post(`/${type}`, { data: { type, attributes } })
