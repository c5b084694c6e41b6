import { expect } from 'chai'
import { emptyLibrary } from '#test/template/support/library/index.ts'
import { checkExpressions, requesters } from './check-expressions.ts'

describe('npm run template -- prove filters', () => {
  after(emptyLibrary)

  for (const requester of requesters) {
    it(`finds no expression whose rows differ from its evaluation in memory, with ${requester.title}`, async () => {
      expect(await checkExpressions(requester, 100, 1)).to.deep.equal([])
    })
  }
})
