import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { StartupError } from '#store'
import { askForResource, type Wishes } from './make/ask.ts'
import { fieldForms } from './make/fields.ts'
import { applyInverse, type Inverse, inversesOf } from './make/inverse.ts'
import { type MadeResource, makeResource } from './make/resource.ts'
import { orExplain } from './support/project.ts'

const usage = `npm run make:resource -- articles 'title:string!' 'author:one=people'

${fieldForms}

  --dry-run      show the files, and write none
  --inverse      add the way back to the types it leads to
  --entity Name  when the singular of the type is not the name you want`

await orExplain(async () => {
  const { values, positionals } = readArguments()
  const [type, ...fields] = positionals
  const wishes = type ? { type, fields, inverse: values.inverse ?? false } : await askOnTerminal()
  const isDryRun = values['dry-run'] ?? false
  const made = await makeResource({ ...wishes, entity: values.entity, isDryRun })
  tell(made, isDryRun)
  const left = await inversesLeft(inversesOf(made.plan), wishes.inverse && !isDryRun)
  if (left.length > 0) console.log(`\nThe way back, where you want it:\n${left.map(toProposal).join('\n')}`)
  if (!isDryRun)
    console.log(`\nnpm start serves it; npx mocha resources/${wishes.type}/${wishes.type}.test.ts tests it.`)
})

function readArguments() {
  try {
    const options = {
      'dry-run': { type: 'boolean' },
      inverse: { type: 'boolean' },
      entity: { type: 'string' },
      help: { type: 'boolean' },
    } as const
    const read = parseArgs({ allowPositionals: true, options })
    if (read.values.help) throw new Error(usage)
    return read
  } catch (error) {
    throw new StartupError((error as Error).message)
  }
}

async function askOnTerminal(): Promise<Wishes> {
  if (!process.stdin.isTTY) throw new StartupError(usage)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await askForResource({ ask: (question) => terminal.question(question), tell: (text) => console.log(text) })
  } finally {
    terminal.close()
  }
}

function tell({ files }: MadeResource, isDryRun: boolean): void {
  for (const [file, source] of files) console.log(isDryRun ? `--- ${file}\n${source}` : `Wrote ${file}.`)
}

/** Those that were not asked for, or could not be added. */
async function inversesLeft(inverses: readonly Inverse[], isWanted: boolean): Promise<Inverse[]> {
  const left: Inverse[] = []
  for (const inverse of inverses) {
    if (!isWanted || !(await applyInverse(inverse))) left.push(inverse)
    else console.log(`Added ${inverse.name} to ${inverse.target.entityFile} and ${inverse.target.resourceFile}.`)
  }
  return left
}

function toProposal({ target, importLine, propertyLine, fieldLine }: Inverse): string {
  return `  ${target.entityFile}\n    ${importLine}\n    ${propertyLine}\n  ${target.resourceFile}\n    ${fieldLine}`
}
