import { revert, StartupError } from '#store'
import { readArguments } from './support/arguments.ts'
import { reportErrors, withProject } from './support/project.ts'

const usage = `npm run migrate -- down
npm run migrate -- down 3

Reverts the last migration, or the last 3, all or none. Rows of tables that it drops are lost.`

const { positionals } = readArguments({ usage, positionals: 1 })

await reportErrors(async () => {
  const [count = '1'] = positionals
  if (!/^[1-9]\d*$/.test(count)) throw new StartupError(`'${count}' is not a number of migrations.\n\n${usage}`)
  await withProject(async ({ database }) => {
    const reverted = await revert(database, Number(count))
    for (const name of reverted) console.log(`Reverted ${name}.`)
    if (reverted.length === 0) console.log('Nothing to do: no migration is applied.')
  })
})
