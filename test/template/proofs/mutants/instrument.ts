import type { Mutation } from './enumerate.ts'
import type { Whole } from './mutant.ts'

/** The name of the function that instrumented code calls: it returns true for the active mutant. */
export const switchName = '__isActiveMutant'

/**
 * Returns the code with all mutants, each behind a switch, so that one process can run the tests with one mutant after
 * the other without loading the application again.
 */
export function instrument(text: string, mutations: readonly Mutation[]): string {
  const groups = Map.groupBy(mutations, ({ change: { whole } }) => `${whole.start} ${whole.end} ${whole.kind}`)
  const insertions = [...groups.values()].flatMap((group) => createInsertions(text, group))
  insertions.sort((a, b) => a.position - b.position || a.rank - b.rank)
  let result = ''
  let end = 0
  for (const { position, inserted } of insertions) {
    result += text.slice(end, position) + inserted
    end = position
  }
  return result + text.slice(end)
}

interface Insertion {
  readonly position: number
  readonly inserted: string
  /** At the same position, inner ends come before outer ends, and outer starts before inner starts. */
  readonly rank: number
}

function createInsertions(text: string, group: readonly Mutation[]): readonly Insertion[] {
  const { whole } = (group[0] as Mutation).change
  const [prefix, suffix] = whole.kind === 'statement' ? statementSwitch(group) : expressionSwitch(text, whole, group)
  return [
    { position: whole.start, inserted: prefix, rank: whole.depth },
    { position: whole.end, inserted: suffix, rank: -whole.depth },
  ]
}

function statementSwitch(group: readonly Mutation[]): readonly [string, string] {
  const conditions = group.map(({ mutant }) => `!${switchName}(${mutant.id})`)
  return [`{if(${conditions.join('&&')}){`, '}}']
}

function expressionSwitch(text: string, whole: Whole, group: readonly Mutation[]): readonly [string, string] {
  const cases = group.map(({ mutant, change }) => {
    const mutated = text.slice(whole.start, change.start) + change.after + text.slice(change.end, whole.end)
    return `${switchName}(${mutant.id})?(${mutated}):`
  })
  return [`(${cases.join('')}(`, '))']
}
