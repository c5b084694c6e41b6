import { expect } from 'chai'
import { coalesce } from '#store/replicas/coalesce.ts'

describe('coalesce', () => {
  let runs: PromiseWithResolvers<void>[]
  let refresh: () => Promise<void>
  beforeEach(() => {
    runs = []
    refresh = coalesce(() => {
      const run = Promise.withResolvers<void>()
      runs.push(run)
      return run.promise
    })
  })
  const settled = () => new Promise(setImmediate)

  it('runs the work once for callers that come before it begins', async () => {
    const calls = [refresh(), refresh(), refresh()]
    await settled()
    expect(runs).to.have.length(1)
    runs[0]?.resolve()
    await Promise.all(calls)
  })

  it('runs the work once more for all callers that come while it runs', async () => {
    const first = refresh()
    await settled()
    const later = Promise.all([refresh(), refresh()])
    await settled()
    expect(runs).to.have.length(1)
    runs[0]?.resolve()
    await first
    await settled()
    expect(runs).to.have.length(2)
    runs[1]?.resolve()
    await later
  })

  it('runs the work again after it has failed', async () => {
    const failing = refresh()
    await settled()
    runs[0]?.reject(new Error('away'))
    await failing
    const next = refresh()
    await settled()
    runs[1]?.resolve()
    await next
    expect(runs).to.have.length(2)
  })
})
