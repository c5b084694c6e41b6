import { stripTypeScriptTypes } from 'node:module'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { enumerateMutants } from './enumerate.ts'
import { explainedFile, formatRow, readExplanations } from './explained.ts'
import { instrument, switchName } from './instrument.ts'
import { loadTarget } from './load-target.ts'
import { mutantKey } from './mutant.ts'
import { parseTexts } from './parse.ts'
import { targets } from './targets.ts'

describe('The mutants of a file', () => {
  const cases: readonly (readonly [title: string, code: string, mutants: readonly string[]])[] = [
    ['replace a condition by true and false', 'if (a.b) c = d', ['a.b → true', 'a.b → false']],
    ['leave out one operand of a logical operator', 'x = f(a && b)', ['x = f(a && b) → ', 'a && b → a', 'a && b → b']],
    ['replace a boolean result by both constants', 'const f = () => a === 1', ['a === 1 → true', 'a === 1 → false']],
    ['replace the result of a call by undefined and true', 'const f = () => g()', ['g() → undefined', 'g() → true']],
    ['negate a comparison outside of conditions', 'const x = a === b', ['=== → !==']],
    ['move the limit of a comparison', 'const x = a < b', ['< → <=', '< → >=']],
    ['exchange some and every', 'const x = a.some(b)', ['some → every']],
    ['leave out a filter', 'const x = a.filter(b).length', ['.filter(b) → ']],
    ['leave out optional chaining', 'const x = a?.b.c?.()', ['?. → ', '?.b → .b']],
    ['remove a throw', 'throw e', ['throw e → ']],
    ['remove a return without a value', 'function f() { return }', ['return → ']],
    ['empty what is spread and what a loop reads', 'for (const a of b) c(...d)', ['b → []', 'c(...d) → ', 'd → []']],
    ['change literals', "const x = [1, 'a', true]", ["[1, 'a', true] → []", '1 → 2', "'a' → ''", 'true → false']],
    ['leave out names, imports and targets of assignments', "import a from 'b'; const { 'c': d } = { 'e': a }", []],
  ]
  for (const [title, code, mutants] of cases) {
    it(title, () => {
      const found = enumerateMutations(code).map(({ mutant: { before, after } }) => `${before} → ${after}`)
      expect(found).to.have.members(mutants)
    })
  }

  it('have the line of the TypeScript file and the name of their function', () => {
    const code = stripTypeScriptTypes(
      'interface A {\n  b: string\n}\nclass C {\n  d(): boolean {\n    return e!\n  }\n}',
    )
    expect(enumerateMutations(code).map(({ mutant }) => mutant)).to.deep.include({
      id: 1,
      file: 'a.ts',
      line: 6,
      name: 'C.d',
      before: 'e',
      after: 'undefined',
      isStatic: false,
    })
  })

  it('have different names when a function contains the same change twice', () => {
    const names = enumerateMutations('function f() {\n  g()\n  g()\n}').map(({ mutant }) => mutant.name)
    expect(names).to.deep.equal(['f', 'f (2)'])
  })

  it('are static outside of functions', () => {
    const isStatic = enumerateMutations("const a = 'b'; const c = () => d('e')").map(({ mutant }) => mutant.isStatic)
    expect(isStatic).to.deep.equal([true, false, false, false])
  })
})

describe('Instrumented code', () => {
  const code = `
    const list = { rows: [1, 2], has(row) { return this.rows.includes(row) } }
    const name = missing?.rows.filter((row) => row > 1).length
    if (list.has(2)) count++
    result = [name, list.has(2), list.rows.filter((row) => row > 1).length, count]`
  const run = (active: number) => {
    const context = { missing: undefined, count: 0, result: [] as unknown, [switchName]: (id: number) => id === active }
    runInNewContext(instrument(code, enumerateMutations(code)), context)
    return JSON.stringify(context.result)
  }

  it('returns the original result when no mutant is active', () => {
    expect(run(0)).to.equal('[null,true,1,1]')
  })

  it('returns the result of the active mutant', () => {
    const results = enumerateMutations(code)
      .filter(({ mutant }) => ['list.has(2)', '.filter((row) => row > 1)'].includes(mutant.before))
      .map(({ mutant }) => [`${mutant.before} → ${mutant.after}`, run(mutant.id)])
    expect(results).to.deep.equal([
      ['.filter((row) => row > 1) → ', '[null,true,1,1]'],
      ['list.has(2) → true', '[null,true,1,1]'],
      ['list.has(2) → false', '[null,true,1,0]'],
      ['.filter((row) => row > 1) → ', '[null,true,2,1]'],
    ])
  })
})

describe('The table of explained mutants', () => {
  it('returns a row as it was written, also with vertical bars and grave accents', () => {
    const explanation = { file: 'a.ts', name: 'b', before: 'c || `d`', after: '', reason: 'Equivalent.' }
    expect([...readExplanations(formatRow(explanation)).values()]).to.deep.equal([explanation])
  })

  it('names only mutants that exist, each with a reason', () => {
    const keys = new Set(targets.flatMap((target) => loadTarget(target).mutants.map(mutantKey)))
    for (const [key, { reason }] of readExplanations()) {
      expect(keys.has(key), `${explainedFile} names a mutant that does not exist: ${key}`).to.equal(true)
      expect(reason, key).to.match(/\w/)
    }
  })
})

function enumerateMutations(code: string) {
  const [parsed] = parseTexts([code])
  return enumerateMutants(parsed as NonNullable<typeof parsed>, 'a.ts', 1)
}
