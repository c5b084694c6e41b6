import { readArguments } from '../support/arguments.ts'
import { formatTable } from '../support/table.ts'
import { countCoverage, featureFaults, findFaults, readFeatures, readMentions, readRules } from './specification.ts'

readArguments({
  usage: `npm run template -- coverage

Prints which rules of JSON:API have a test, deviate by decision, or have no test, and how many features of the service
have one.`,
})

const rules = readRules()
const features = readFeatures()
const mentions = readMentions()
const chapters = countCoverage(rules, mentions)
const counts = chapters.map(({ chapter, tested, decided, open }) => {
  return [chapter, String(tested.length), String(decided.length), String(open.length)]
})

console.log(formatTable([['CHAPTER', 'TESTED', 'DECIDED', 'OPEN'], ...counts]))
print('Deviations by decision, see docs/specification.md', ({ decided }) => decided)
print('Without a test', ({ open }) => open)
console.log(`\n${summary()}\n${featureSummary()}`)

for (const fault of [...findFaults(rules, mentions), ...featureFaults(features)]) {
  console.error(fault)
  process.exitCode = 1
}

function print(title: string, idsOf: (chapter: (typeof chapters)[number]) => readonly string[]): void {
  const lines = chapters.map(idsOf).filter((ids) => ids.length > 0)
  console.log(`\n${title}\n${lines.map((ids) => `  ${ids.join(' ')}`).join('\n') || '  (none)'}`)
}

function summary(): string {
  const [tested, decided, open] = (['tested', 'decided', 'open'] as const).map((state) => {
    return chapters.flatMap((chapter) => chapter[state]).length
  })
  return `${rules.length} rules: ${tested} tested, ${decided} deviating by decision, ${open} not tested.`
}

function featureSummary(): string {
  const removed = features.filter(({ file }) => file === null).length
  return `${features.length} features of the service: ${features.length - removed} with a test, ${removed} whose test was removed.`
}
