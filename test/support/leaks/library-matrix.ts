import { expect } from 'chai'
import { emptyLibrary, libraryDatabase } from '../library/index.ts'
import {
  type Choice,
  type ReadCase,
  readCases,
  readCasesByRow,
  readLeaks,
  unauthorizedChanges,
  type WriteCase,
  writeCases,
  writeCasesByRow,
} from './cases.ts'
import { findingsText } from './findings.ts'
import { fillLeakLibrary, leakLibrary } from './library.ts'
import type { Includes } from './reads.ts'
import type { Decision } from './row-denials.ts'
import { findIncludes, type LeakRun, startRun } from './run.ts'

const names = leakLibrary.map(({ resource }) => resource.declaration.type)

const cases: Readonly<
  Record<Decision, { readonly reads: readonly ReadCase[]; readonly writes: readonly WriteCase[] }>
> = {
  'by-type': { reads: readCases, writes: writeCases },
  'by-row': { reads: [], writes: writeCasesByRow },
  'rows-by-view': { reads: readCasesByRow, writes: [] },
}

/** Defines a test per type and denial; `choose` selects the requests that are sent. */
export function describeLibraryMatrix(choose: (type: string) => Choice): void {
  for (const [decision, { reads, writes }] of Object.entries(cases)) {
    describe(`Policy that decides ${decision}`, () => {
      let run: LeakRun
      let includes: Includes
      before(async () => {
        await fillLeakLibrary()
        run = await startRun({
          resources: leakLibrary,
          database: await libraryDatabase(),
          onWrite: () => {},
          servers: { default: { maxIncludeDepth: 2 } },
          decision: decision as Decision,
        })
        includes = await findIncludes(run)
      })
      after(async () => {
        await run.close()
        await emptyLibrary()
      })
      afterEach(() => run.denials.deny([], []))
      const typeOf = (name: string) => run.stored.find((type) => type.name === name) as LeakRun['stored'][number]

      for (const name of names) {
        for (const readCase of reads) {
          it(`returns denied rows in no response when ${readCase.title} ${name}`, async () => {
            expect(findingsText(await readLeaks(run, typeOf(name), readCase, includes, choose(name)))).to.equal('')
          })
        }
        for (const writeCase of writes) {
          it(`keeps denied rows unchanged by every write when ${writeCase.title} ${name}`, async () => {
            expect(findingsText(await unauthorizedChanges(run, typeOf(name), writeCase, choose(name)))).to.equal('')
          })
        }
      }
    })
  }
}
