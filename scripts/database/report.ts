import { formatTable } from '../support/table.ts'
import type { GeneratedTypes } from './generate.ts'
import { missingForCreates } from './resource-source.ts'

/** Prints the generated types, what could not be mapped and why, and the next commands. */
export function printReport({ types, remarks, functions, files, pending }: GeneratedTypes, isDryRun: boolean): void {
  const rows = types.map(({ relation, names, joins, toOnes, toManys, attributes }) => [
    [relation.name, ...joins.map((join) => join.relation.name)].join(', '),
    `/${names.type}`,
    `${count(attributes.filter(({ mapping }) => mapping.builder !== null).length, 'attribute')}, ${count(toOnes.length + toManys.length, 'relation')}`,
  ])
  console.log(formatTable([['TABLE', 'TYPE', 'FIELDS'], ...rows]))
  const all = [
    ...remarks,
    ...types
      .filter((type) => !type.isReadOnly && missingForCreates(type).length > 0)
      .map((type) => ({
        member: type.relation.name,
        text: `Cannot be created: ${missingForCreates(type).join(', ')} must have a value, which requests cannot contain`,
      })),
  ]
  if (all.length > 0) {
    const lines = all.map(({ member, text }) => [member, `${text}.`])
    console.log(`\nNot mapped completely:\n${formatTable(lines).replace(/^/gm, '  ')}`)
  }
  if (functions.length > 0) {
    const recipe = 'No URL calls a function of the database; a custom action does (docs/how-to/custom-action.md):'
    console.log(`\n${recipe}\n${functions.map((signature) => `  ${signature}`).join('\n')}`)
  }
  console.log(`\n${isDryRun ? 'Would write' : 'Wrote'} ${files.size} files. The database is unchanged.`)
  if (isDryRun) return
  console.log('Every authenticated caller may read all rows, and no caller may write: edit the policies of the types.')
  if (pending.length > 0) console.log(`The next start also applies the migrations ${pending.join(', ')}.`)
  console.log(
    '\nnpm run migrate -- baseline  marks the baseline migrations as applied\nnpm start                 serves the types',
  )
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
