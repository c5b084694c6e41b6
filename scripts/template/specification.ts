import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/project.ts'

/** A rule of JSON:API in docs/specification.md. */
export interface Rule {
  readonly id: string
  /** `NEG: content negotiation` */
  readonly chapter: string
  readonly level: string
  readonly text: string
  /** The reason of a deviation; empty if there is none. */
  readonly decision: string
}

/** An id at the beginning of a test title. */
export interface Mention {
  readonly id: string
  readonly file: string
}

const row = /^\| ([A-Z]{3}-\d{2}) \| (\S+) \| (.+?) \| (?:(.*?) )?\|$/
// A text that begins with ids: a test title, or a key from which titles are built.
const name = /(?<=['"`])(?:[A-Z]{3}-\d{2} )+/g

export function readRules(markdown = readFileSync(join(root, 'docs/specification.md'), 'utf8')): Rule[] {
  let chapter = ''
  return markdown.split('\n').flatMap((line) => {
    if (line.startsWith('## ')) chapter = line.slice(3)
    const [, id, level, text, remark = ''] = row.exec(line) ?? []
    if (!id || !level || !text) return []
    return [{ id, chapter, level, text, decision: /^decided: (.+)$/.exec(remark)?.[1] ?? '' }]
  })
}

export function readMentions(): Mention[] {
  const files = globSync('{test,plugins,resources}/**/*.test.ts', { cwd: root }).sort()
  return files.flatMap((file) => mentionsIn(readFileSync(join(root, file), 'utf8'), file))
}

export function mentionsIn(source: string, file: string): Mention[] {
  return [...source.matchAll(name)].flatMap(([ids]) =>
    ids
      .trim()
      .split(' ')
      .map((id) => ({ id, file })),
  )
}

interface Coverage {
  readonly chapter: string
  readonly tested: readonly string[]
  readonly decided: readonly string[]
  readonly open: readonly string[]
}

/** Counts by chapter: tested, deviating by decision, neither. */
export function countCoverage(rules: readonly Rule[], mentions: readonly Mention[]): Coverage[] {
  const mentioned = new Set(mentions.map(({ id }) => id))
  const stateOf = ({ id, decision }: Rule) => (decision ? 'decided' : mentioned.has(id) ? 'tested' : 'open')
  return [...Map.groupBy(rules, ({ chapter }) => chapter)].map(([chapter, all]) => {
    const idsThat = (state: string) => all.filter((rule) => stateOf(rule) === state).map(({ id }) => id)
    return { chapter, tested: idsThat('tested'), decided: idsThat('decided'), open: idsThat('open') }
  })
}

/** Returns the faults of the list and of test titles as sentences. */
export function findFaults(rules: readonly Rule[], mentions: readonly Mention[]): string[] {
  const ids = rules.map(({ id }) => id)
  const repeated = new Set(ids.filter((id, index) => ids.indexOf(id) !== index))
  const unlisted = new Set(mentions.filter(({ id }) => !ids.includes(id)).map(({ id, file }) => `${id} of ${file}`))
  return [
    ...[...repeated].map((id) => `${id} is listed more than once in docs/specification.md.`),
    ...[...unlisted].map((stranger) => `${stranger} is not listed in docs/specification.md.`),
  ]
}

/** A row of docs/feature-tests.md: what the service does beyond JSON:API, and a test that shows it. */
interface Feature {
  readonly section: string
  readonly text: string
  /** The title of the test. */
  readonly title: string
  /** Null if the test was removed with a plugin or the demo. */
  readonly file: string | null
}

const featureRow = /^\| (?!Behaviour|---)(.+?) \| (.+?) \|(?: `([^`]+)`)? \|$/

export function readFeatures(markdown = readFileSync(join(root, 'docs/feature-tests.md'), 'utf8')): Feature[] {
  let section = ''
  return markdown.split('\n').flatMap((line) => {
    if (line.startsWith('## ')) section = line.slice(3)
    const [, text, title, file = null] = featureRow.exec(line) ?? []
    return text && title ? [{ section, text, title, file }] : []
  })
}

/** Returns a sentence for each feature whose test does not exist. */
export function featureFaults(features: readonly Feature[]): string[] {
  const sources = new Map(
    globSync('{test,plugins}/**/*.test.ts', { cwd: root }).map((file) => [
      file,
      readFileSync(join(root, file), 'utf8'),
    ]),
  )
  return features.flatMap(({ title, file }) => {
    const isFound =
      file === null || [`'`, `"`].some((quote) => sources.get(file)?.includes(`it(${quote}${title}${quote}`))
    return isFound ? [] : [`${file} has no test '${title}', which docs/feature-tests.md names.`]
  })
}
