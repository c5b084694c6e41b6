import { expect } from 'chai'
import { lifecycle } from './index.ts'

// Hooks are declared and checked; nobody calls them yet. What is wrong with one is told by test/registry.test.ts.

describe('The plugin lifecycle', () => {
  it('knows twelve hooks, and says of each that it waits', () => {
    const { keys = [], dormant } = lifecycle()
    expect(keys).to.have.length(12)
    expect(dormant).to.deep.equal(keys)
  })
})
