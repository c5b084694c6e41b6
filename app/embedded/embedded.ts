import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { PGlite, types } from '@electric-sql/pglite'
import { dataDir as prepopulated } from '@electric-sql/pglite-prepopulatedfs'
import type { Configuration } from '@mikro-orm/core'
import { PgliteConnection, PglitePlatform } from '@mikro-orm/pglite'
import { AbstractSqlDriver } from '@mikro-orm/sql'
import { CompiledQuery, type DatabaseConnection, type PGliteDialect } from 'kysely'
import { embeddedClient } from '#store/connection/entity-manager.ts'
import { initOrm } from '#store/connection/init-orm.ts'
import { defaultLimits, ormOptions } from '#store/connection/orm-options.ts'
import { StartupError } from '#store/connection/startup-error.ts'
import type { Database, DatabaseOptions, Orm } from '#store/connection/types.ts'
import { valueSettings } from '#store/connection/value-settings.ts'
import { encodeArray } from '#store/driver/index.ts'
import { createFifoQueue } from '#store/fifo-queue.ts'
import { encodeTime, parseUnusualTime } from '#store/sql/values/times.ts'
import { takeLock } from './data-dir-lock.ts'
import { createEmbeddedDialect } from './dialect.ts'
import { createDiskSpaceCheck, readFreeBytes } from './disk-space.ts'
import { loadExtensions } from './extensions.ts'
import { unpackEmptyDatabase } from './unpack.ts'
import { startVacuum } from './vacuum.ts'

const kind = 'embedded'

/** Opens PGlite in memory, or in a locked data directory. */
export async function openEmbedded(options: DatabaseOptions): Promise<Database> {
  if (options.dataDir === null) {
    const orm = await start(options, 'memory://', options.pglite ? undefined : await prepopulated())
    const checkDiskSpace = options.freeBytes && createDiskSpaceCheck(options.freeBytes)
    return { orm, kind, keepsSession: true, ...(checkDiskSpace && { checkDiskSpace }), close: () => orm.close() }
  }
  const directory = resolve(options.dataDir)
  const lock = await takeLock(directory)
  try {
    const checkDiskSpace = createDiskSpaceCheck(() => readFreeBytes(directory))
    await checkDiskSpace()
    const orm = await startOnDisk(options, directory)
    const stopVacuum = startVacuum(orm, { checkDiskSpace, clock: options.clock, logger: options.logger })
    const close = () =>
      stopVacuum()
        .then(() => orm.close())
        .finally(lock.release)
    return { orm, kind, keepsSession: true, checkDiskSpace, close }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** The first start writes about 1,000 files. If it was interrupted, the marker file remains and the next start begins anew. */
async function startOnDisk(options: DatabaseOptions, directory: string): Promise<Orm> {
  const folder = join(directory, 'postgres')
  const marker = join(directory, 'unfinished')
  if (existsSync(marker)) rmSync(folder, { recursive: true, force: true })
  if (!existsSync(join(folder, 'PG_VERSION'))) {
    writeFileSync(marker, '')
    await unpackEmptyDatabase(folder)
  }
  const orm = await start(options, folder)
  rmSync(marker, { force: true })
  return orm
}

/** 16 instead of 128 MB of shared buffers: the files of the database are in the page cache of the system anyway. */
const startParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB']

/**
 * Compiles WebAssembly without V8's optimising compiler, which needs 0.8 GB for some functions of PGlite. Both flags must be
 * set before PGlite is compiled; `--liftoff-only` has no effect at run time.
 */
function disableOptimisingCompiler(): void {
  setFlagsFromString('--no-wasm-tier-up')
  setFlagsFromString('--no-wasm-dynamic-tiering')
}

async function start(options: DatabaseOptions, dbName: string, loadDataDir?: Blob): Promise<Orm> {
  disableOptimisingCompiler()
  const extensions = await loadExtensions(options)
  const { pglite, databaseLimits: { wait } = defaultLimits } = options
  const orm = await initOrm({
    ...ormOptions(options),
    driver: EmbeddedDriver as never,
    dbName,
    onCreateConnection: (connection) => setForms(connection as DatabaseConnection),
    // A function, because MikroORM copies a plain object deeply and cannot copy a Blob.
    driverOptions: () => ({
      waitTimeout: wait * 1000,
      startParams,
      extensions,
      ...(pglite && { pglite }),
      ...(loadDataDir && { loadDataDir }),
    }),
  })
  try {
    await orm.connect()
    await orm.em.getConnection().execute('select 1')
    await keepUsedParsers(orm)
  } catch (error) {
    throw new StartupError(`The embedded database in ${dbName} cannot be opened: ${(error as Error).message}.`)
  }
  return orm
}

/** Object ids of interval and of the arrays that columns have: those that `pg` parses too. */
const parsedTypes = [
  ...[1186, 199, 651, 1000, 1001, 1005, 1007, 1009, 1014, 1015, 1016, 1021, 1022, 1040, 1041, 1115, 1182, 1183, 1185],
  ...[1187, 1231, 1270, 2951, 3807, 3907],
]

/**
 * perf: PGlite copies its parsers for each statement, and has one for the rows of every system table. A short statement
 * takes 165 instead of 360 µs without them.
 */
async function keepUsedParsers(orm: Orm): Promise<void> {
  const client = await embeddedClient(orm)
  const used = new Set([...Object.keys(types.parsers), ...parsedTypes.map(String)])
  const parsers = Object.entries(client.parsers).filter(([type]) => used.has(type))
  client.parsers = { ...Object.fromEntries(parsers), ...arrayParsers }
}

/** The forms of `pg`: PGlite has a bigint for an int8 that is not a safe integer, and texts for numeric. */
const arrayParsers: PGlite['parsers'] = {
  1016: (text) => types.arrayParser(text, String, 1016),
  1231: (text) => types.arrayParser(text, Number, 1231),
}

/** A restored data directory may have other defaults. */
async function setForms(connection: DatabaseConnection): Promise<void> {
  const calls = Object.entries(valueSettings).map(([name, value]) => `set_config('${name}', '${value}', false)`)
  await connection.executeQuery(CompiledQuery.raw(`select ${calls.join(', ')}`))
}

class EmbeddedPlatform extends PglitePlatform {
  override marshallArray(items: string[]): string {
    return encodeArray(items)
  }

  override parseDate(value: string): Date {
    return (typeof value === 'string' ? parseUnusualTime(value) : undefined) ?? super.parseDate(value)
  }

  override formatDate(value: Date): string {
    return encodeTime(value)
  }
}

class EmbeddedConnection extends PgliteConnection {
  override createKyselyDialect({ waitTimeout, ...options }: { waitTimeout: number }): PGliteDialect {
    const dialect = createEmbeddedDialect(super.createKyselyDialect(options), createFifoQueue(waitTimeout))
    return dialect as unknown as PGliteDialect // MikroORM accepts any dialect
  }
}

class EmbeddedDriver extends AbstractSqlDriver<EmbeddedConnection> {
  constructor(config: Configuration) {
    super(config, new EmbeddedPlatform(), EmbeddedConnection, ['kysely', '@electric-sql/pglite'])
  }
}
