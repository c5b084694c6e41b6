import { expect } from 'chai'
import { createLagWindow } from '#app/replicas/lag-window.ts'

describe('Replication lag', () => {
  it('is the time since the primary was first observed beyond the position of the replica', () => {
    let now = 0
    const window = createLagWindow(5000, () => now)
    expect(window.computeLag(0n)).to.equal(0)
    for (const position of [10n, 20n, 20n, 30n]) {
      window.add(position)
      now += 1000
    }
    expect(window.computeLag(30n)).to.equal(0)
    expect(window.computeLag(20n)).to.equal(1000)
    expect(window.computeLag(10n)).to.equal(3000)
    expect(window.computeLag(5n)).to.equal(4000)
  })

  it('is limited by the length of the window', () => {
    let now = 0
    const window = createLagWindow(2000, () => now)
    for (; now <= 60_000; now += 500) window.add(BigInt(now))
    expect(window.computeLag(-1n)).to.be.within(2000, 3000)
  })
})
