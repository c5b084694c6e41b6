import { loadSeeds } from '#discovery'
import { countRows, migrate, type Seed, StartupError, seed } from '#store'
import { readArguments, readInteger } from './support/arguments.ts'
import { withProject } from './support/project.ts'

const usage = `npm run seed -- [--scale n] [--force]

Empties every table, then loads the seeds of resources/*/seed.ts.

  --scale n  also load n units of generated rows; default: 0
  --force    also in production`

const { values } = readArguments({
  usage,
  options: { scale: { type: 'string', default: '0' }, force: { type: 'boolean' } },
})
const scale = readInteger('scale', values.scale, usage)

await withProject(async ({ config, database, discovery }) => {
  if (config.environment === 'production' && !values.force) {
    throw new StartupError('Seeding empties every table; in production, use --force.')
  }
  await migrate(database)
  await seed(database, await loadSeeds<Seed>(discovery), { scale, demo: true })
  for (const [table, rows] of Object.entries(await countRows(database.orm.em.fork()))) console.log(`${table}: ${rows}`)
})
