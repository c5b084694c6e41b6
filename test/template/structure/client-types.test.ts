import { expect } from 'chai'
import {
  type CompilerError,
  compileBoth,
  directivesIn,
  readSources,
  reportedErrors,
} from '#test/template/support/type-tests.ts'

// Compiles calls of the TypeScript client, right ones and wrong ones with the messages that a developer sees.

const sources = readSources('test/template/typed-client/types')

describe('Types of the TypeScript client', () => {
  let errors: readonly CompilerError[]
  before(async () => {
    errors = await compileBoth(sources)
  })

  it('accept every right call, and every @ts-expect-error has an error', () => {
    expect(errors.filter(({ folder }) => folder === 'with-directives').map(({ text }) => text)).to.deep.equal([])
  })

  for (const [file, lines] of sources) {
    if (directivesIn(lines).length === 0) continue
    it(`reject every wrong call of ${file} with the expected message`, () => {
      const expected = directivesIn(lines).map(({ line, message }) => `${line}: ${message}`)
      expect(reportedErrors(file, lines, errors)).to.deep.equal(expected)
    })
  }

  it('are tested by at least 150 lines, and results are never any', () => {
    const lines = [...sources.values()].flat()
    const exact = lines.filter((line) => line.includes('exactly<'))
    expect(exact.length + [...sources.values()].flatMap(directivesIn).length).to.be.at.least(150)
  })
})
