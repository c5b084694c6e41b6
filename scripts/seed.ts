import { parseArgs } from 'node:util'
import { loadSeeds } from '#discovery'
import { countRows, migrate, type Seed, StartupError, seed } from '#store'
import { withProject } from './support/project.ts'

await withProject(async ({ config, database, discovery }) => {
  const { scale, force } = readArguments()
  if (config.environment === 'production' && !force) {
    throw new StartupError('Seeding empties every table; in production, use --force.')
  }
  await migrate(database)
  await seed(database, await loadSeeds<Seed>(discovery), { scale })
  for (const [table, rows] of Object.entries(await countRows(database.orm.em.fork()))) console.log(`${table}: ${rows}`)
})

function readArguments(): { scale: number; force: boolean } {
  try {
    const { values } = parseArgs({ options: { scale: { type: 'string', default: '0' }, force: { type: 'boolean' } } })
    if (!/^\d+$/.test(values.scale)) throw new Error('--scale must be an integer')
    return { scale: Number(values.scale), force: values.force ?? false }
  } catch (error) {
    throw new StartupError(`${(error as Error).message}.`)
  }
}
