import { expect } from 'chai'
import { declaredResources } from '#app/resources.ts'
import { discover } from '#discovery'
import { root } from './support/app.ts'
import './support/catalogue.ts'
import { sample, unauthorizedChanges, writeCases, writeCasesByRow } from './support/leaks/cases.ts'
import { findingsText } from './support/leaks/findings.ts'
import { startRun } from './support/leaks/run.ts'

// A row that a requester may not change at its own URL is the same after every write that the registry makes possible:
// the tables are compared before and after each of them.

const resources = await declaredResources(await discover(root))
const run = await startRun({ resources, decision: 'by-type' })
const byRow = await startRun({ resources, decision: 'by-row' })

after(async () => {
  await run.close()
  await byRow.close()
})
afterEach(() => {
  run.blindfold.hide([], [])
  byRow.blindfold.hide([], [])
})

describe('Rows that a requester may not change', () => {
  for (const type of run.stored) {
    for (const one of writeCases) {
      it(`are unchanged after every write when ${one.title} ${type.name}`, async () => {
        expect(findingsText(await unauthorizedChanges(run, type, one, sample(10, type.name)))).to.equal('')
      })
    }
  }

  for (const type of byRow.stored) {
    for (const one of writeCasesByRow) {
      it(`are unchanged after every write when ${one.title} ${type.name}`, async () => {
        expect(findingsText(await unauthorizedChanges(byRow, type, one, sample(10, type.name)))).to.equal('')
      })
    }
  }
})
