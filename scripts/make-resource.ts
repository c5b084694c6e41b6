import { createInterface } from 'node:readline/promises'
import { StartupError } from '#store'
import { writeApiIndex } from './client/api-index.ts'
import { listInverses as inversesOfExisting } from './database/existing.ts'
import { type GeneratedTypes, generateFromDatabase } from './database/generate.ts'
import { printReport } from './database/report.ts'
import { fieldForms } from './make/fields.ts'
import { applyInverse, type Inverse, planInverses } from './make/inverse.ts'
import { promptForResource, type ResourceRequest } from './make/prompt.ts'
import { type GeneratedResource, generateResource } from './make/resource.ts'
import { readArguments } from './support/arguments.ts'
import { reportErrors } from './support/project.ts'

const usage = `npm run make -- resource articles 'title:string!' 'author:one=people'

${fieldForms}

  --dry-run       print the files instead of writing them
  --inverse       add inverse relations to the related types; also with --from-database
  --soft-deletes  DELETE moves resources to the trash (docs/soft-deletes.md)
  --entity Name   the name of the entity; default: the singular of the type
  --id uuid       ids are UUIDs that the service generates; default: integers of the database
  --public        anonymous callers may read; default: only authenticated callers

npm run make -- resource --from-database
npm run make -- resource --from-database orders customers

  generates types for the tables and views of DATABASE_URL, or for the named ones; the database is not changed

  --names keep    to-many relations are named like the tables; default: the plural of their names`

const { values, positionals } = readArguments({
  usage,
  options: {
    'dry-run': { type: 'boolean' },
    inverse: { type: 'boolean' },
    entity: { type: 'string' },
    'soft-deletes': { type: 'boolean' },
    id: { type: 'string' },
    'from-database': { type: 'boolean' },
    names: { type: 'string' },
    public: { type: 'boolean' },
  },
  positionals: Number.POSITIVE_INFINITY,
})

await reportErrors(async () => {
  if (values.names !== undefined && (values.names !== 'keep' || !values['from-database'])) {
    throw new StartupError('--names has the value keep, and belongs to --from-database.')
  }
  if (values['from-database']) return generateTypes()
  const [type, ...fields] = positionals
  const request = type ? { type, fields, inverse: values.inverse ?? false } : await promptOnTerminal()
  const isDryRun = values['dry-run'] ?? false
  const hasSoftDeletes = values['soft-deletes'] ?? false
  const { entity, id } = values
  const isPublic = values.public ?? false
  const generated = await generateResource({ ...request, entity, id, hasSoftDeletes, isPublic, isDryRun })
  if (!isDryRun) writeApiIndex()
  printFiles(generated, isDryRun)
  await addOrPrint(planInverses(generated.plan), request.inverse && !isDryRun)
  if (!isDryRun)
    console.log(`\nnpm start serves it; npx mocha resources/${request.type}/${request.type}.test.ts tests it.`)
})

async function generateTypes(): Promise<void> {
  const { 'dry-run': isDryRun = false, inverse: isInverse = false } = values
  const generated: GeneratedTypes = await generateFromDatabase({
    names: positionals,
    isDryRun,
    keepsNames: values.names === 'keep',
  })
  if (isDryRun) for (const [file, source] of generated.files) console.log(`--- ${file}\n${source}`)
  if (!isDryRun) writeApiIndex()
  printReport(generated, isDryRun)
  await addOrPrint(inversesOfExisting(generated.existing), isInverse && !isDryRun)
}

async function promptOnTerminal(): Promise<ResourceRequest> {
  if (!process.stdin.isTTY) throw new StartupError(usage)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await promptForResource({
      prompt: (question) => terminal.question(question),
      print: (text) => console.log(text),
    })
  } finally {
    terminal.close()
  }
}

function printFiles({ files }: GeneratedResource, isDryRun: boolean): void {
  for (const [file, source] of files) console.log(isDryRun ? `--- ${file}\n${source}` : `Wrote ${file}.`)
}

/** Adds inverse relations to existing types if requested. Prints the lines of those that were not added. */
async function addOrPrint(inverses: readonly Inverse[], isRequested: boolean): Promise<void> {
  const left: Inverse[] = []
  for (const inverse of inverses) {
    if (!isRequested || !(await applyInverse(inverse))) left.push(inverse)
    else console.log(`Added ${inverse.name} to ${inverse.target.entityFile} and ${inverse.target.resourceFile}.`)
  }
  if (left.length > 0) console.log(`\nInverse relations, if you want them:\n${left.map(toProposal).join('\n')}`)
}

function toProposal({ target, importLine, propertyLine, fieldLine }: Inverse): string {
  return `  ${target.entityFile}\n    ${importLine}\n    ${propertyLine}\n  ${target.resourceFile}\n    ${fieldLine}`
}
