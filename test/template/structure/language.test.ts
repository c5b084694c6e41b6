import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { isShipped } from '#test/template/support/shipped.ts'

// Plain technical English: names and sentences use the terms that a search engine knows. docs/glossary.md lists them.

/** Words that do not say what kind of thing an exported symbol holds or does. */
const vagueNames = [
  'asked',
  'atOnce',
  'further',
  'heard',
  'hush',
  'inTurn',
  'known',
  'lane',
  'meets',
  'moment',
  'offered',
  'own',
  'place',
  'plain',
  'plainly',
  'said',
  'settle',
  'sketch',
  'somehow',
  'stranger',
  'stuff',
  'thing',
  'together',
  'told',
  'trace',
  'turn',
  'usual',
  'wanted',
  'watch',
  'whence',
]

/** Words that hide which part of the program acts. */
const vagueSubjects = /\b(nobody|somebody|everybody|anybody|whoever|whomever|nobody's|somebody's)\b/i

const sources = globSync('{app,plugins,scripts}/**/*.ts', { cwd: root }).filter(isShipped)
const tests = globSync('test/**/*.ts', { cwd: root, exclude: (path) => path.includes('node_modules') })
const guides = globSync('{*.md,docs/**/*.md,app/**/*.md}', { cwd: root })

const read = (file: string) => readFileSync(join(root, file), 'utf8')

describe('The language of the project', () => {
  it('has no exported name that leaves open what it holds', () => {
    const faults = [...sources, ...tests].flatMap((file) =>
      exportedNames(read(file)).flatMap((name) => (isVague(name) ? [`${file}: ${name}`] : [])),
    )
    expect(faults).to.deep.equal([])
  })

  it('names the subject of every sentence in comments and strings', () => {
    const faults = [...sources, ...tests].flatMap((file) =>
      file === 'test/template/structure/language.test.ts' ? [] : linesWith(vagueSubjects, file),
    )
    expect(faults).to.deep.equal([])
  })

  it('names the subject of every sentence in the documentation', () => {
    expect(guides.flatMap((file) => linesWith(vagueSubjects, file))).to.deep.equal([])
  })
})

function exportedNames(source: string): string[] {
  const declared = source.matchAll(
    /^export (?:default )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type) (\w+)/gm,
  )
  return [...declared].map(([, name = '']) => name)
}

/** Compares whole words of a camel-case name: `isKnownKey` contains `known`, `unknown` does not. */
function isVague(name: string): boolean {
  const words = `.${name.replace(/([a-z0-9])([A-Z])/g, '$1.$2').toLowerCase()}.`
  return vagueNames.some((vague) => words.includes(`.${vague.replace(/([a-z])([A-Z])/g, '$1.$2').toLowerCase()}.`))
}

function linesWith(pattern: RegExp, file: string): string[] {
  return read(file)
    .split('\n')
    .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : []))
}
