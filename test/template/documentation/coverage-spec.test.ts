import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { expectSuccess, runNode } from '#test/template/support/run-node.ts'
import {
  countCoverage,
  featureFaults,
  findFaults,
  mentionsIn,
  readFeatures,
  readMentions,
  readRules,
} from '../../../scripts/template/specification.ts'

describe('npm run template -- coverage', () => {
  it('prints a line per chapter and a summary, and exits with 0', async () => {
    const { stdout } = expectSuccess(await runNode(['scripts/template/coverage-spec.ts']))
    const lines = stdout.trimEnd().split('\n')
    for (const { chapter } of readRules()) {
      expect(lines.filter((line) => line.startsWith(chapter))).to.have.length(1)
    }
    expect(lines.at(-2)).to.match(/^\d+ rules: \d+ tested, \d+ deviating by decision, \d+ not tested\.$/)
    expect(lines.at(-1)).to.match(/^\d+ features of the service: \d+ with a test, \d+ whose test was removed\.$/)
  })
})

describe('docs/specification.md', () => {
  it('lists every rule once, and every rule id in test titles', () => {
    expect(readMentions()).not.to.be.empty
    expect(findFaults(readRules(), readMentions())).to.deep.equal([])
  })

  it('numbers the rules of a chapter from 01 without gaps', () => {
    for (const [chapter, rules] of Map.groupBy(readRules(), (rule) => rule.chapter)) {
      const expected = rules.map((_, index) => `${chapter.slice(0, 3)}-${String(index + 1).padStart(2, '0')}`)
      expect(rules.map(({ id }) => id)).to.deep.equal(expected)
    }
  })

  it('is parsed completely: every row of its tables is a rule', () => {
    const lines = readFileSync(join(root, 'docs/specification.md'), 'utf8').split('\n')
    expect(readRules()).to.have.length(lines.filter((line) => /^\| (?!Id)/.test(line)).length)
    for (const { level, text } of readRules()) {
      expect(level).to.match(/^(?:M|MN|S|SN|O|R|d)(?:\/(?:M|MN|S))?$/)
      expect(text).to.match(/\.$/)
    }
  })
})

describe('docs/feature-tests.md', () => {
  const features = readFeatures()

  it('names only tests that exist', () => {
    expect(featureFaults(features)).to.deep.equal([])
  })

  it('is parsed completely: every row of its tables is a feature, a sentence that no other row has', () => {
    const lines = readFileSync(join(root, 'docs/feature-tests.md'), 'utf8').split('\n')
    expect(features).to.have.length(lines.filter((line) => /^\| (?!Behaviour)/.test(line)).length)
    for (const { text } of features) expect(text).to.match(/\.$/)
    expect(new Set(features.map(({ text }) => text))).to.have.property('size', features.length)
  })

  it('is at fault when a file lacks the test or does not exist, and not when the name of the file was removed', () => {
    const [feature] = features.filter(({ file }) => file !== null)
    const { file, title } = feature as (typeof features)[number]
    const rows = [`| Does. | ${title} | \`${file}\` |`, `| Does. | x | \`${file}\` |`, '| Does. | x | `a.test.ts` |']
    const faults = featureFaults(readFeatures([...rows, '| Does. | x | |'].join('\n')))
    expect(faults).to.deep.equal([
      `${file} has no test 'x', which docs/feature-tests.md names.`,
      `a.test.ts has no test 'x', which docs/feature-tests.md names.`,
    ])
  })
})

describe('Specification coverage', () => {
  // Built from parts, so that the coverage script does not count them as ids of test titles in this file.
  const [first, second, third, fourth] = ['01', '02', '03', '04'].map((number) => `ABC-${number}`) as [
    string,
    string,
    string,
    string,
  ]
  const document = [
    '## ABC: letters',
    '| Id | Level | Rule | Remark |',
    '|---|---|---|---|',
    `| ${first} | M | One. | |`,
    `| ${second} | S | Two. | decided: three is better. |`,
    `| ${third} | O/M | Three. | |`,
  ].join('\n')

  it('reads ids from the beginning of titles and of table keys', () => {
    const source = `it('${first} ${second} does', f)\nit(\`${third} \${x}\`, f)\nconst t = { "${first} a": 1, b: 'see ${second}' }`
    expect(mentionsIn(source, 'a.test.ts').map(({ id }) => id)).to.deep.equal([first, second, third, first])
  })

  it('groups rules into tested, decided and open', () => {
    const mentions = [first, second].map((id) => ({ id, file: 'a.test.ts' }))
    expect(countCoverage(readRules(document), mentions)).to.deep.equal([
      { chapter: 'ABC: letters', tested: [first], decided: [second], open: [third] },
    ])
  })

  it('reports rules listed twice and unlisted ids', () => {
    const rules = readRules(`${document}\n${document}`)
    const faults = findFaults(rules.slice(0, 4), [{ id: fourth, file: 'a.test.ts' }])
    expect(faults).to.deep.equal([
      `${first} is listed more than once in docs/specification.md.`,
      `${fourth} of a.test.ts is not listed in docs/specification.md.`,
    ])
  })
})
