import { expect } from 'chai'
import type { DeclaredResource } from '#kernel/plugin'
import {
  type Choice,
  type ReadCase,
  readCases,
  readCasesByRow,
  readLeaks,
  trashedReads,
  trashedWrites,
  unauthorizedChanges,
  type WriteCase,
  writeCases,
  writeCasesByRow,
} from '#test/conformance/leaks/cases.ts'
import { findingsText } from '#test/conformance/leaks/findings.ts'
import type { Includes } from '#test/conformance/leaks/reads.ts'
import type { Decision } from '#test/conformance/leaks/row-denials.ts'
import { findIncludes, type LeakRun, startRun } from '#test/conformance/leaks/run.ts'
import { pluginsWithExpressions } from '#test/template/support/filterable.ts'
import { emptyLibrary, libraryDatabase } from '#test/template/support/library/index.ts'
import { fillLeakLibrary, leakLibrary, softLibrary } from './library.ts'

const names = leakLibrary.map(({ resource }) => resource.declaration.type)

interface Matrix {
  readonly title: string
  readonly decision: Decision
  readonly resources: readonly DeclaredResource[]
  readonly reads: readonly ReadCase[]
  readonly writes: readonly WriteCase[]
}

const matrices: readonly Matrix[] = [
  {
    title: 'Policy that decides by-type',
    decision: 'by-type',
    resources: leakLibrary,
    reads: readCases,
    writes: writeCases,
  },
  {
    title: 'Policy that decides by-row',
    decision: 'by-row',
    resources: leakLibrary,
    reads: [],
    writes: writeCasesByRow,
  },
  {
    title: 'Policy that decides rows-by-view',
    decision: 'rows-by-view',
    resources: leakLibrary,
    reads: readCasesByRow,
    writes: [],
  },
  { title: 'Soft deletes', decision: 'by-type', resources: softLibrary, reads: trashedReads, writes: trashedWrites },
]

/** Defines a test per type and denial; `choose` selects the requests that are sent. */
export function describeLibraryMatrix(choose: (type: string) => Choice): void {
  for (const { title, decision, resources, reads, writes } of matrices) {
    describe(title, () => {
      let run: LeakRun
      let includes: Includes
      before(async () => {
        await fillLeakLibrary(await libraryDatabase())
        run = await startRun({
          resources,
          database: await libraryDatabase(),
          onWrite: () => {},
          plugins: pluginsWithExpressions,
          servers: { default: { maxIncludeDepth: 2 } },
          decision,
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
