import { expect } from 'chai'
import { currentContext, type Plugin } from '#kernel/plugin'
import { as } from '#test/support/principals.ts'
import { type LiveBooks, startLiveBooks } from '#test/template/support/live-books.ts'

describe('The reads of a live collection', () => {
  /** The principals of the operation and of the current request in the scope of each read. */
  const reads: (string | undefined)[][] = []
  let books: LiveBooks

  const observing: Plugin = {
    name: 'observing',
    planType({ scope }) {
      scope.push({
        of: 'addressed',
        condition(_type, { principal }) {
          reads.push([principal?.identifier, currentContext()?.state.principal?.identifier])
          return undefined
        },
      })
    },
  }

  before(async () => {
    books = await startLiveBooks({ above: [observing] })
  })
  beforeEach(() => books.reset())
  after(() => books.close())

  it('run in the context of their own request, not of the one that has opened the first stream', async () => {
    const [first, second] = [await books.open('/books'), await books.open('/books', as('eve'))]
    for (const stream of [first, second]) await books.next(stream)
    reads.length = 0
    await books.run(`update books set title = title || '!'`)
    for (const stream of [first, second]) await books.next(stream)
    expect(reads.map(([principal]) => principal)).to.include.members(['ada', 'eve'])
    for (const [principal, current] of reads) expect(current).to.equal(principal)
  })

  it('are no statements of the request that has opened a stream; the polls belong to no request', async () => {
    const stream = await books.open('/books')
    await books.next(stream)
    const contexts = new Map<string, boolean>()
    const stop = books.app.store.observe?.({
      onStatement({ sql }) {
        if (sql.includes('change_log') && sql.includes('sequence')) contexts.set(sql, currentContext() !== undefined)
        return undefined
      },
    })
    await books.run(`update books set title = 'A2' where id = 1`)
    await books.next(stream)
    stop?.()
    expect([...contexts.values()])
      .to.include(false)
      .and.not.to.include(true)
  })
})
