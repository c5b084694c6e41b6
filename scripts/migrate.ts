import { migrate } from '#store'
import { withProject } from './support/project.ts'

await withProject(async ({ database }) => {
  const done = await migrate(database)
  for (const name of done) console.log(`Applied ${name}.`)
  if (done.length === 0) console.log('Nothing to do: the schema is up to date.')
})
