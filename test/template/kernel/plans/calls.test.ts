import { expect } from 'chai'
import { startApp, type TestApp } from '#test/support/app.ts'
import { resetTestDatabase } from '#test/support/database.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { countCalls } from '../../../../scripts/template/bench/calls/count.ts'

// The calls of functions and the promises of a request have no noise. The limits may only fall.

const limits: Readonly<Record<string, readonly [calls: number, promises: number]>> = {
  '/artists/1': [645, 125],
  '/albums/1': [940, 190],
  '/albums': [1_080, 196],
}

describeIf(hasServer)('A request whose query is kept', () => {
  let app: TestApp
  before(async () => {
    await resetTestDatabase()
    app = await startApp()
  })
  after(() => app.close())

  for (const [path, [calls, promises]] of Object.entries(limits)) {
    it(`needs at most ${calls} calls of functions and ${promises} promises: GET ${path}`, async () => {
      const counted = await countCalls(app.client.url + path)
      expect(counted.calls).to.be.at.most(calls)
      expect(counted.promises).to.be.at.most(promises)
    })
  }
})
