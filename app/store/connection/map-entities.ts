import { PostgreSqlDriver } from '@mikro-orm/postgresql'
import { initOrm } from './init-orm.ts'
import { ormOptions } from './orm-options.ts'
import type { Orm } from './types.ts'

/** Maps the entities without a database: enough to build an application and its documents, not to serve requests. */
export async function mapEntities(entities: readonly object[]): Promise<Orm> {
  const options = ormOptions({ databaseUrl: null, dataDir: null, entities, migrations: [] })
  return initOrm({ ...options, driver: PostgreSqlDriver, dbName: 'none' })
}
