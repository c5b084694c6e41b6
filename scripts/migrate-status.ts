import { executedMigrations, listedMigrations } from '#store'
import { readArguments } from './support/arguments.ts'
import { reportErrors, withProject } from './support/project.ts'
import { formatTable } from './support/table.ts'

const usage = `npm run migrate -- status

Lists the migrations and the time at which each was applied. Changes nothing.`

readArguments({ usage })

await reportErrors(async () => {
  await withProject(async ({ database }) => {
    const listed = listedMigrations(database)
    const executed = new Map((await executedMigrations(database)).map(({ name, executedAt }) => [name, executedAt]))
    const rows = listed.map(({ name, file = '' }) => [name, executed.get(name)?.toISOString() ?? 'pending', file])
    const missing = [...executed].filter(([name]) => !listed.some((migration) => migration.name === name))
    for (const [name, executedAt] of missing) rows.push([name, executedAt.toISOString(), '(its file is missing)'])
    console.log(rows.length > 0 ? formatTable([['MIGRATION', 'APPLIED', 'FILE'], ...rows]) : 'There are no migrations.')
  })
})
