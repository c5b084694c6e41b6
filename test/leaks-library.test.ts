import { expect } from 'chai'
import type { Decision } from './support/leaks/blindfold.ts'
import {
  type ReadCase,
  readCases,
  readCasesByRow,
  readLeaks,
  sample,
  unauthorizedChanges,
  type WriteCase,
  writeCases,
  writeCasesByRow,
} from './support/leaks/cases.ts'
import { findingsText } from './support/leaks/findings.ts'
import { fillLeakLibrary, leakLibrary } from './support/leaks/library.ts'
import type { Includes } from './support/leaks/reads.ts'
import { findIncludes, type LeakRun, startRun } from './support/leaks/run.ts'
import { emptyLibrary, libraryDatabase } from './support/library/index.ts'

// A part of the matrix, the same in every run, on types that have every kind of relation, filter and count.

const names = leakLibrary.map(({ resource }) => resource.declaration.type)

const cases: Readonly<
  Record<Decision, { readonly reads: readonly ReadCase[]; readonly writes: readonly WriteCase[] }>
> = {
  'by-type': { reads: readCases, writes: writeCases },
  'by-row': { reads: [], writes: writeCasesByRow },
  'rows-by-view': { reads: readCasesByRow, writes: [] },
}

for (const [decision, { reads, writes }] of Object.entries(cases)) {
  describe(`A policy that decides ${decision}`, () => {
    let run: LeakRun
    let includes: Includes
    before(async () => {
      await fillLeakLibrary()
      run = await startRun({
        resources: leakLibrary,
        database: await libraryDatabase(),
        wrote: () => {},
        servers: { default: { maxIncludeDepth: 2 } },
        decision: decision as Decision,
      })
      includes = await findIncludes(run)
    })
    after(async () => {
      await run.close()
      await emptyLibrary()
    })
    afterEach(() => run.blindfold.hide([], []))
    const typeOf = (name: string) => run.stored.find((type) => type.name === name) as LeakRun['stored'][number]

    for (const name of names) {
      for (const one of reads) {
        it(`keeps denied rows out of every answer when ${one.title} ${name}`, async () => {
          expect(findingsText(await readLeaks(run, typeOf(name), one, includes, sample(40, name)))).to.equal('')
        })
      }
      for (const one of writes) {
        it(`leaves denied rows unchanged after every write when ${one.title} ${name}`, async () => {
          expect(findingsText(await unauthorizedChanges(run, typeOf(name), one, sample(50, name)))).to.equal('')
        })
      }
    }
  })
}
