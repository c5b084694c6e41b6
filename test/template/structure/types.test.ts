import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { scalarKinds } from '#app/kernel/schema/field.ts'
import { declarationKeys } from '#kernel/plugin'
import { root } from '#test/support/app.ts'
import { shippedPlugins } from '#test/template/support/shipped.ts'
import {
  type CompilerError,
  compileBoth,
  directivesIn,
  readSources,
  reportedErrors,
} from '#test/template/support/type-tests.ts'

// Compiles test/template/types, which is never run. Every invalid line has a directive with the expected message; a copy without
// the directives must have exactly these errors.

const sources = readSources('test/template/types')

describe('Types of declarations', () => {
  let errors: readonly CompilerError[]
  before(async () => {
    errors = await compileBoth(sources)
  })

  it('accept every valid declaration of test/template/types, and every @ts-expect-error has an error', () => {
    expect(errors.filter(({ folder }) => folder === 'with-directives').map(({ text }) => text)).to.deep.equal([])
  })

  for (const [file, lines] of sources) {
    if (directivesIn(lines).length === 0) continue
    it(`reject every invalid line of ${file} with the expected message`, () => {
      const expected = directivesIn(lines).map(({ line, message }) => `${line}: ${message}`)
      expect(reportedErrors(file, lines, errors)).to.deep.equal(expected)
    })
  }

  it('explain in a sentence why a field name is invalid', () => {
    const text = errors.map((error) => error.text).join('\n')
    expect(text).to.include(`Type '"'titel' is not a property of the entity; say storedAs() or computed()."'`)
    expect(text).to.include(`Type '"'band' is a relation of the entity, not an attribute."'`)
    expect(text).to.include(`Type '"'bands' is not a to-one relation of the entity (is it declared with .ref()?)."'`)
    expect(text).to.include(`Type '"'band' is not a collection of the entity."'`)
    expect(text).to.include(`Type '"The property 'plays' does not hold what a 'string' field holds."'`)
  })
})

describe('Files of test/template/types', () => {
  const valid = [...sources.values()].flatMap((lines) => {
    const skipped = new Set(directivesIn(lines).flatMap(({ at }) => [at, at + 1]))
    return lines.filter((_, index) => !skipped.has(index))
  })
  const invalid = [...sources.values()].flatMap((lines) => directivesIn(lines).map(({ at }) => lines[at + 1] ?? ''))
  const vocabulary = ['builders', 'relation-builders', 'modifiers'].map((name) =>
    readFileSync(join(root, `app/kernel/schema/${name}.ts`), 'utf8'),
  )
  const words = new Set<string>([
    ...scalarKinds,
    ...[...vocabulary.join('\n').matchAll(/^ {2}(\w+)(?:<.*>)?\(/gm)].map(([, word]) => word as string),
    ...shippedPlugins.flatMap(({ modifiers: { attribute = {}, relation = {} } = {} }) =>
      Object.keys({ ...attribute, ...relation }),
    ),
  ])
  const keys = new Set([
    ...declarationKeys,
    ...shippedPlugins.flatMap((plugin) => Object.keys(plugin.keys ?? {})).filter((key) => !key.startsWith('server.')),
  ])

  it('contains a valid and an invalid use of every builder and modifier', () => {
    expect([...words])
      .to.include('storedAs')
      .and.to.include('belongsTo')
      .and.to.include('maxLength')
    const wordsIn = (lines: readonly string[]) =>
      new Set(lines.flatMap((line) => [...line.matchAll(/\b(\w+)\(/g)].map(([, word]) => word)))
    const [used, misused] = [wordsIn(valid), wordsIn(invalid)]
    expect([...words].filter((word) => !used.has(word))).to.deep.equal([])
    expect([...words].filter((word) => !misused.has(word))).to.deep.equal([])
  })

  it('contains a valid and an invalid use of every key', () => {
    expect([...keys])
      .to.include('fields')
      .and.to.include('policy')
    const keysIn = (lines: readonly string[]) =>
      new Set(lines.flatMap((line) => [...line.matchAll(/\b(\w+)(?=:|\()/g)].map(([, key]) => key)))
    const [used, misused] = [keysIn(valid), keysIn(invalid)]
    expect([...keys].filter((key) => !used.has(key))).to.deep.equal([])
    expect([...keys].filter((key) => !misused.has(key))).to.deep.equal([])
  })
})
