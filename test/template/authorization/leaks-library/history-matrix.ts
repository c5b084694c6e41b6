import { expect } from 'chai'
import { history } from '#plugins/history/index.ts'
import type { Database } from '#store'
import { type Choice, type ReadCase, readCases, readCasesByRow, readLeaks } from '#test/conformance/leaks/cases.ts'
import { findingsText } from '#test/conformance/leaks/findings.ts'
import type { Decision } from '#test/conformance/leaks/row-denials.ts'
import { type LeakRun, startRun } from '#test/conformance/leaks/run.ts'
import { withExpressions } from '#test/template/support/filterable.ts'
import { openRecordedLibrary, withPlugins } from '#test/template/support/recorded-library.ts'
import { fillLeakLibrary, recordedLibrary } from './library.ts'

const names = recordedLibrary.map(({ resource }) => resource.declaration.type)
const cases: Readonly<Partial<Record<Decision, readonly ReadCase[]>>> = {
  'by-type': readCases,
  'rows-by-view': readCasesByRow,
}

/** Sends only the requests of histories. */
const onlyHistories: Choice = (requests) => {
  const chosen = requests.filter(({ path }) => path.includes('/-history'))
  expect(chosen).not.to.deep.equal([])
  return chosen
}

/** Defines a test per type and denial: the history of a denied row is not shown, and no other history names the row. */
export function describeHistoryMatrix(): void {
  for (const [decision, reads] of Object.entries(cases)) {
    describe(`Histories with a policy that decides ${decision}`, () => {
      let database: Database
      let run: LeakRun
      before(async () => {
        const plugins = withExpressions(withPlugins(history()))
        database = await openRecordedLibrary(plugins)
        const servers = { default: { maxIncludeDepth: 2 } }
        const resources = recordedLibrary
        run = await startRun({
          resources,
          database,
          onWrite: () => {},
          plugins,
          servers,
          decision: decision as Decision,
        })
        await run.app.start()
        await run.app.store.queue.stop()
        await fillLeakLibrary(database)
      })
      after(async () => {
        await run?.close()
        await database.close()
      })
      afterEach(() => run.denials.deny([], []))

      for (const name of names)
        for (const readCase of reads)
          it(`are not those of denied rows, and do not name them, when ${readCase.title} ${name}`, async () => {
            const type = run.stored.find((stored) => stored.name === name) as LeakRun['stored'][number]
            expect(findingsText(await readLeaks(run, type, readCase, new Map(), onlyHistories))).to.equal('')
          })
    })
  }
}
