import { expect } from 'chai'
import { hasServer } from '#test/template/support/describe-if.ts'
import type { CatalogueRequest } from './catalogue.ts'
import { type FaultOptions, findFaults } from './find-faults.ts'
import { checkTables } from './prove-faults.ts'
import { masked } from './table-state.ts'

// A part of `npm run template -- prove faults`: faults at driver calls.

const options: FaultOptions = { isShort: false, seed: 1, progress: () => {} }

describe('Faults at driver calls', () => {
  it('leave no part of a batch in the tables when begin fails (needs a server: PGlite begins by a function)', async function () {
    if (!hasServer) this.skip()
    const { counts, found } = await findFaults({ ...options, only: 'batch: a failing operation', call: 1 })
    expect(found).to.deep.equal([])
    expect(counts.map(({ points }) => points)).to.deep.equal([9])
  })

  it('leave the connection to later reads when a snapshot cannot begin or commit', async () => {
    const { counts, found } = await findFaults({ ...options, only: 'GET /books/1?include=shelf,tags', fault: '53100' })
    expect(found).to.deep.equal([])
    expect(counts[0]?.points).to.equal(hasServer ? 3 : 4)
  })

  for (const only of ['update, idempotency key', 'hasOne: replace']) {
    it(`leave the tables as before or after, and all connections usable: ${only}`, async () => {
      const { counts, found } = await findFaults({ ...options, isShort: true, only })
      expect(found).to.deep.equal([])
      expect(counts[0]?.points).to.be.at.least(2)
    })
  }
})

describe('checkTables', () => {
  const request: CatalogueRequest = { name: 'update', method: 'PATCH', path: '/books/1' }
  const clean = { calls: ['begin', 'commit'], status: 200, before: 'old', after: 'new' }
  const check = (fault: '40001' | 'answer lost', status: number, state: string) =>
    checkTables({ request, call: 2, fault }, clean, status, state)

  it('accepts a success with changed tables, and a failure with unchanged tables', () => {
    expect([check('40001', 200, 'new'), check('40001', 503, 'old')]).to.deep.equal([[], []])
  })

  it('accepts a failure with changed tables only when the answer was lost', () => {
    expect(check('answer lost', 503, 'new')).to.deep.equal([])
    expect(check('40001', 503, 'new')).to.have.length(1)
  })

  it('reports a success with unchanged tables, and tables that are neither as before nor as after', () => {
    expect(check('40001', 200, 'old')).to.have.length(1)
    expect(check('answer lost', 503, 'torn')).to.have.length(1)
  })
})

describe('masked', () => {
  it('masks generated keys and times, also a time whose fraction looks like a generated key', () => {
    expect(masked('(1,900012,"2026-01-01 10:00:00.5+00")')).to.equal('(1,<key>,"<time>")')
    expect(masked('(1,"2026-01-01 10:00:00.900012+00")')).to.equal('(1,"<time>")')
  })
})
