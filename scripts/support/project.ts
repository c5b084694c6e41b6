import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Config, ConfigError, readConfig } from '#app/config.ts'
import { type Discovery, discover, loadEntities, loadMigrations } from '#kernel'
import { type Database, openDatabase, StartupError } from '#store'

export const root = resolve(import.meta.dirname, '../..')

export interface Project {
  readonly config: Config
  readonly discovery: Discovery
  readonly database: Database
}

/** Runs a script with the project's own database, which nobody else may be using when it is the embedded one. */
export async function withProject(work: (project: Project) => Promise<void>): Promise<void> {
  await orExplain(async () => {
    if (existsSync(resolve(root, '.env'))) process.loadEnvFile(resolve(root, '.env'))
    const config = readConfig()
    const discovery = await discoverOrExplain()
    const database = await openDatabase({ ...config, ...(await loadSchema(discovery)) })
    try {
      await work({ config, discovery, database })
    } finally {
      await database.close()
    }
  })
}

/** What the operator can mend is told in a sentence, everything else with its stack. */
export async function orExplain(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const isPlain = error instanceof StartupError || error instanceof ConfigError
    console.error(isPlain ? error.message : error)
    process.exitCode = 1
  }
}

export async function discoverOrExplain(): Promise<Discovery> {
  const discovery = await discover(root)
  if (discovery.faults.length > 0) throw new StartupError(discovery.faults.join('\n'))
  return discovery
}

export async function loadSchema(discovery: Discovery) {
  return { entities: await loadEntities(discovery), migrations: await loadMigrations(discovery) }
}
