import { parseArgs } from 'node:util'
import { StartupError } from '#store'
import { planAction, writeAction } from './make/action.ts'
import { reportErrors } from './support/project.ts'

const usage = `npm run make:action -- albums publish

  --collection   an action of the collection instead of one resource
  --dry-run      print the files instead of writing them`

/** Creates an action to start from, and the method of the policy that authorizes it. */
await reportErrors(async () => {
  const { values, positionals } = readArguments()
  const [type, name] = positionals
  if (!type || !name) throw new StartupError(usage)
  const sources = await planAction({ type, name, on: values.collection ? 'collection' : 'resource' })
  if (!values['dry-run']) await writeAction(sources)
  for (const [file, source] of sources) console.log(values['dry-run'] ? `--- ${file}\n${source}` : `Wrote ${file}.`)
})

function readArguments() {
  try {
    const options = { collection: { type: 'boolean' }, 'dry-run': { type: 'boolean' } } as const
    return parseArgs({ allowPositionals: true, options })
  } catch (error) {
    throw new StartupError((error as Error).message)
  }
}
