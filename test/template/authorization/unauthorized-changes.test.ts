import { expect } from 'chai'
import { declaredResources } from '#app/resources.ts'
import { discover } from '#discovery'
import type { ResourceType } from '#kernel'
import { root } from '#test/support/app.ts'
import '#test/support/catalogue.ts'
import {
  sample,
  trashedWrites,
  unauthorizedChanges,
  type WriteCase,
  writeCases,
  writeCasesByRow,
} from '#test/conformance/leaks/cases.ts'
import { findingsText } from '#test/conformance/leaks/findings.ts'
import { type LeakRun, startRun } from '#test/conformance/leaks/run.ts'

// A row that a caller may not change at its own URL stays unchanged by every write that the registry allows: the tables
// are compared before and after each write.

const resources = await declaredResources(await discover(root))
const stored = resources.filter(({ resource }) => resource.entity).map(({ resource }) => resource.declaration)

describe('Rows that a caller may not change', () => {
  let run: LeakRun
  let byRow: LeakRun

  before(async () => {
    run = await startRun({ resources, decision: 'by-type' })
    byRow = await startRun({ resources, decision: 'by-row' })
  })
  after(async () => {
    await run.close()
    await byRow.close()
  })
  afterEach(() => {
    run.denials.deny([], [])
    byRow.denials.deny([], [])
  })

  const findings = async (served: LeakRun, name: string, writeCase: WriteCase, size = 10) => {
    const type = served.app.registry.types.get(name) as ResourceType
    return findingsText(await unauthorizedChanges(served, type, writeCase, sample(size, name)))
  }

  for (const { type, softDeletes } of stored) {
    for (const writeCase of writeCases) {
      it(`keeps the rows unchanged by every write when ${writeCase.title} ${type}`, async () => {
        expect(await findings(run, type, writeCase)).to.equal('')
      })
    }

    for (const writeCase of softDeletes ? trashedWrites : []) {
      it(`keeps the rows unchanged by every write when ${writeCase.title} ${type}`, async () => {
        expect(await findings(run, type, writeCase, 50)).to.equal('')
      })
    }

    for (const writeCase of writeCasesByRow) {
      it(`keeps the rows unchanged by every write when ${writeCase.title} ${type}`, async () => {
        expect(await findings(byRow, type, writeCase)).to.equal('')
      })
    }
  }
})
