import { StartupError } from '#store'
import { writeApiIndex } from './client/api-index.ts'
import { planAction, writeAction } from './make/action.ts'
import { readArguments } from './support/arguments.ts'
import { reportErrors } from './support/project.ts'

const usage = `npm run make -- action albums publish

Creates an action to start from, and the method of the policy that authorizes it.

  --collection   an action of the collection instead of one resource
  --dry-run      print the files instead of writing them`

const { values, positionals } = readArguments({
  usage,
  options: { collection: { type: 'boolean' }, 'dry-run': { type: 'boolean' } },
  positionals: 2,
})

await reportErrors(async () => {
  const [type, name] = positionals
  if (!type || !name) throw new StartupError(usage)
  const sources = await planAction({ type, name, on: values.collection ? 'collection' : 'resource' })
  if (!values['dry-run']) {
    await writeAction(sources)
    writeApiIndex()
  }
  for (const [file, source] of sources) console.log(values['dry-run'] ? `--- ${file}\n${source}` : `Wrote ${file}.`)
})
