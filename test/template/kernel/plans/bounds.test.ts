import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { expect } from 'chai'
import { maxPlans } from '#app/kernel/plan/plan-cache.ts'
import type { Filling } from './fill-plans.ts'

// Clients choose the texts and the shapes of queries. The heap is measured in a process of its own.

describe('The plans of a process after 5,000 shapes and 50,000 texts', () => {
  let filling: Filling
  before(async function () {
    this.timeout(300_000) // other processes of the machine may take most of its time
    const child = fork(resolve(import.meta.dirname, 'fill-plans.ts'), { execArgv: ['--expose-gc'] })
    const exit = once(child, 'exit').then(([code]) => [new Error(`The process ended with ${code}.`)])
    const [received] = await Promise.race([once(child, 'message'), exit])
    if (received instanceof Error) throw received
    filling = received
    await exit
  })

  it('are as many as are kept', () => {
    expect(filling.sizes).to.deep.equal({ plans: maxPlans, queries: maxPlans, sent: maxPlans })
  })

  it('take at most 20 MB of the heap, with their statements', () => {
    const [before, after] = filling.heaps
    expect(after - before).to.be.below(20 * 2 ** 20)
  })

  it('leave a request that is sent again as many calls and promises as before', () => {
    // Timers of the process call a few functions on a busy machine.
    const [before, after] = filling.calls
    expect(after[0]).to.be.closeTo(before[0], 0.02 * before[0])
    expect(after[1]).to.be.closeTo(before[1], 0.02 * before[1])
  })
})
