import { migrate } from '#store'
import { readArguments } from './support/arguments.ts'
import { reportErrors, withProject } from './support/project.ts'

const usage = `npm run migrate

Applies the pending migrations, all or none. Sub-commands:

  npm run migrate -- status    lists the migrations
  npm run migrate -- create    writes the next migration from changed entities
  npm run migrate -- down      reverts the last migration
  npm run migrate -- baseline  marks migrations as applied whose tables exist`

readArguments({ usage })

await reportErrors(async () => {
  await withProject(async ({ database }) => {
    const done = await migrate(database)
    for (const name of done) console.log(`Applied ${name}.`)
    if (done.length === 0) console.log('Nothing to do: the schema is up to date.')
  })
})
