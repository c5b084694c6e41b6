import { migrate } from '#store'
import { reportErrors, withProject } from './support/project.ts'
import { readArguments } from './support/usage.ts'

const usage = `npm run migrate

Applies the pending migrations, all or none. npm run migrate:status lists them.`

await reportErrors(async () => {
  readArguments(usage)
  await withProject(async ({ database }) => {
    const done = await migrate(database)
    for (const name of done) console.log(`Applied ${name}.`)
    if (done.length === 0) console.log('Nothing to do: the schema is up to date.')
  })
})
