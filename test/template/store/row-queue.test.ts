import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { RowQueue } from '#store/row-queue.ts'
import { manualClock } from '#test/support/clock.ts'

const timeout = 10_000

describe('Queue of the writes of a row', () => {
  const setUp = () => {
    const clock = manualClock()
    const queue = new RowQueue(timeout, clock)
    const begun: string[] = []
    /** Starts a write that runs until it is ended. */
    const start = (name: string, rows: readonly string[]) => {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      const result = queue.run(rows, () => {
        begun.push(name)
        return ended
      })
      result.catch(() => {})
      return { result, end }
    }
    return { clock, begun, start }
  }

  it('runs writes of one row in their order, and writes of other rows at the same time', async () => {
    const { begun, start } = setUp()
    const [first] = [start('first', ['albums 1']), start('second', ['albums 1']), start('other', ['albums 2'])]
    start('new', [])
    await setImmediate()
    expect(begun).to.deep.equal(['first', 'other', 'new'])
    first?.end()
    await setImmediate()
    expect(begun.at(-1)).to.equal('second')
  })

  it('runs a write of several rows when all earlier writes of them have ended', async () => {
    const { begun, start } = setUp()
    const [one, two] = [start('one', ['albums 1']), start('two', ['albums 2'])]
    const both = start('both', ['albums 2', 'albums 1'])
    start('third', ['albums 1'])
    one.end()
    await setImmediate()
    expect(begun).to.deep.equal(['one', 'two'])
    two.end()
    await setImmediate()
    expect(begun.at(-1)).to.equal('both')
    both.end()
    await setImmediate()
    expect(begun.at(-1)).to.equal('third')
  })

  it('continues after a write that has failed', async () => {
    const { begun, start } = setUp()
    const queue = new RowQueue(timeout)
    const failed = queue.run(['albums 1'], () => Promise.reject(new Error('refused')))
    expect(await failed.catch(({ message }) => message)).to.equal('refused')
    await queue.run(['albums 1'], async () => start('next', []))
    expect(begun).to.deep.equal(['next'])
  })

  it('rejects a write that has waited for the time-out, and keeps later writes behind the running one', async () => {
    const { clock, begun, start } = setUp()
    const first = start('first', ['albums 1'])
    const late = start('late', ['albums 1'])
    clock.advance(timeout - 1)
    start('next', ['albums 1'])
    clock.advance(1)
    expect(await late.result.catch(({ code }) => code)).to.equal('55P03')
    await setImmediate()
    expect(begun).to.deep.equal(['first'])
    first.end()
    await setImmediate()
    expect(begun).to.deep.equal(['first', 'next'])
  })
})
