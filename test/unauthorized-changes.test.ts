import { expect } from 'chai'
import { declaredResources } from '#app/resources.ts'
import { discover } from '#discovery'
import { root } from './support/app.ts'
import './support/catalogue.ts'
import { sample, trashedWrites, unauthorizedChanges, writeCases, writeCasesByRow } from './support/leaks/cases.ts'
import { findingsText } from './support/leaks/findings.ts'
import { startRun } from './support/leaks/run.ts'

// A row that a caller may not change at its own URL stays unchanged by every write that the registry allows: the tables
// are compared before and after each write.

const resources = await declaredResources(await discover(root))
const run = await startRun({ resources, decision: 'by-type' })
const byRow = await startRun({ resources, decision: 'by-row' })

after(async () => {
  await run.close()
  await byRow.close()
})
afterEach(() => {
  run.denials.deny([], [])
  byRow.denials.deny([], [])
})

describe('Rows that a caller may not change', () => {
  for (const type of run.stored) {
    for (const writeCase of writeCases) {
      it(`keeps the rows unchanged by every write when ${writeCase.title} ${type.name}`, async () => {
        expect(findingsText(await unauthorizedChanges(run, type, writeCase, sample(10, type.name)))).to.equal('')
      })
    }
  }

  for (const type of run.stored.filter(({ declaration }) => declaration.softDeletes)) {
    for (const writeCase of trashedWrites) {
      it(`keeps the rows unchanged by every write when ${writeCase.title} ${type.name}`, async () => {
        expect(findingsText(await unauthorizedChanges(run, type, writeCase, sample(50, type.name)))).to.equal('')
      })
    }
  }

  for (const type of byRow.stored) {
    for (const writeCase of writeCasesByRow) {
      it(`keeps the rows unchanged by every write when ${writeCase.title} ${type.name}`, async () => {
        expect(findingsText(await unauthorizedChanges(byRow, type, writeCase, sample(10, type.name)))).to.equal('')
      })
    }
  }
})
