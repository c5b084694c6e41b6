import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { dataDir as prepopulated } from '@electric-sql/pglite-prepopulatedfs'
import { MikroORM, type PgliteConnection } from '@mikro-orm/pglite'
import { CompiledQuery, type DatabaseConnection } from 'kysely'
import { noteStatement, watchConnection } from '../driver/statement-log.ts'
import { takeLock } from './data-dir-lock.ts'
import { takeTurns } from './fifo-connection.ts'
import { defaultLimits, ormOptions } from './orm-options.ts'
import { StartupError } from './startup-error.ts'
import type { Database, DatabaseOptions, Orm } from './types.ts'

export async function openEmbedded(options: DatabaseOptions): Promise<Database> {
  if (options.dataDir === null) {
    const orm = await start(options, 'memory://', true)
    return { orm, kind: 'embedded', keepsSession: true, close: () => orm.close() }
  }
  const directory = resolve(options.dataDir)
  const lock = await takeLock(directory)
  try {
    const orm = await startOnDisk(options, directory)
    return { orm, kind: 'embedded', keepsSession: true, close: () => orm.close().finally(lock.release) }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** The first start writes some 1,000 files; the mark stays behind when it was interrupted, and the next one begins anew. */
async function startOnDisk(options: DatabaseOptions, directory: string): Promise<Orm> {
  const folder = join(directory, 'postgres')
  const mark = join(directory, 'unfinished')
  if (existsSync(mark)) rmSync(folder, { recursive: true, force: true })
  const fresh = !existsSync(join(folder, 'PG_VERSION'))
  if (fresh) writeFileSync(mark, '')
  const orm = await start(options, folder, fresh)
  rmSync(mark, { force: true })
  return orm
}

async function start(options: DatabaseOptions, dbName: string, fresh: boolean): Promise<Orm> {
  const loadDataDir = fresh ? await prepopulated() : null
  const orm = await MikroORM.init({
    ...ormOptions(options),
    dbName,
    onCreateConnection: (connection) => startSession(connection as DatabaseConnection),
    // A function, because MikroORM copies a plain object deeply and cannot copy a Blob.
    driverOptions: () => (loadDataDir ? { loadDataDir } : {}),
  })
  const { wait } = options.databaseLimits ?? defaultLimits
  limitWaiting(orm.em.getConnection() as PgliteConnection, wait * 1000)
  try {
    await orm.connect()
    watchTransactions(await orm.em.getConnection().getNativeClient())
    await orm.em.getConnection().execute('select 1')
  } catch (error) {
    throw new StartupError(`The embedded database in ${dbName} cannot be opened: ${(error as Error).message}.`)
  }
  return orm as unknown as Orm
}

/** Before it is opened. */
function limitWaiting(connection: PgliteConnection, milliseconds: number): void {
  const createDialect = connection.createKyselyDialect.bind(connection)
  connection.createKyselyDialect = (overrides) => takeTurns(createDialect(overrides), milliseconds)
}

async function startSession(connection: DatabaseConnection): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw("set timezone to 'UTC'"))
  watchConnection(connection)
}

/** Kysely begins and ends a transaction on PGlite without a statement of its own. */
function watchTransactions(pglite: PGlite): void {
  const transaction = pglite.transaction.bind(pglite)
  pglite.transaction = (work) => {
    noteStatement('begin')
    return transaction(async (tx) => {
      const result = await work(tx).catch((error) => {
        noteStatement('rollback')
        throw error
      })
      noteStatement('commit')
      return result
    })
  }
}
