import { expect } from 'chai'
import { coalesce } from '#app/replicas/coalesce.ts'

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
  const nextTurn = () => new Promise(setImmediate)

  it('runs the function once for calls before it starts', async () => {
    const calls = [refresh(), refresh(), refresh()]
    await nextTurn()
    expect(runs).to.have.length(1)
    runs[0]?.resolve()
    await Promise.all(calls)
  })

  it('runs the function once more for all calls while it runs', async () => {
    const first = refresh()
    await nextTurn()
    const later = Promise.all([refresh(), refresh()])
    await nextTurn()
    expect(runs).to.have.length(1)
    runs[0]?.resolve()
    await first
    await nextTurn()
    expect(runs).to.have.length(2)
    runs[1]?.resolve()
    await later
  })

  it('runs the function again after it failed', async () => {
    const failing = refresh()
    await nextTurn()
    runs[0]?.reject(new Error('away'))
    await failing
    const next = refresh()
    await nextTurn()
    runs[1]?.resolve()
    await next
    expect(runs).to.have.length(2)
  })
})
