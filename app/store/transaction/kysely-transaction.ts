import { ControlledTransaction, type DatabaseConnection, PostgresDialect } from 'kysely'
import type { Orm } from '../connection/types.ts'
import type { StatementResult, Values } from '../driver/index.ts'

export type Send = (sql: string, values: Values) => Promise<StatementResult>

const dialect = new PostgresDialect({ pool: () => Promise.reject(new Error('A transaction has its own connection.')) })
const driver = dialect.createDriver()

/** The transaction as a Kysely transaction, which MikroORM may nest others in (savepoints) but does not end. */
export function toKysely(orm: Orm, send: Send): ControlledTransaction<unknown> {
  const connection: DatabaseConnection = {
    async executeQuery({ sql, parameters }) {
      const { rows, command, rowCount } = await send(sql, parameters)
      return { rows: rows as never[], ...(command !== 'SELECT' && { numAffectedRows: BigInt(rowCount ?? 0) }) }
    },
    async *streamQuery(query) {
      yield await this.executeQuery(query)
    },
  }
  const executor = orm.em
    .getKysely()
    .getExecutor()
    .withConnectionProvider({ provideConnection: (use) => use(connection) })
  return new ControlledTransaction({
    config: { dialect },
    dialect,
    driver,
    executor,
    connection: { connection, release() {} },
  })
}
