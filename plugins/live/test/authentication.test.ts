import { expect } from 'chai'
import type { Plugin, Principal } from '#kernel/plugin'
import { type LiveBooks, startLiveBooks, titles } from '#test/template/support/live-books.ts'

// Streams authenticate again with each read, as plugins do that find the principal of a request.

describe('The principal of a stream', () => {
  const sessions = new Map<string, Principal>()
  let books: LiveBooks

  /** Keeps a principal that another plugin has set, as the recipe for sessions does. */
  const sessionHeader: Plugin = {
    name: 'sessions',
    onRoute({ ctx }) {
      if (!ctx.state.principal) ctx.state.principal = sessions.get(ctx.get('X-Session')) ?? null
    },
  }

  before(async () => {
    books = await startLiveBooks({ above: [sessionHeader] })
  })
  beforeEach(() => books.reset())
  after(() => books.close())

  it('is found anew for each read: a session that has ended ends its stream', async () => {
    sessions.set('one', { identifier: 'ada', roles: [] })
    const headers = { 'X-Session': 'one' }
    const stream = await books.open('/books', headers)
    expect(titles(await books.next(stream))).to.deep.equal(['snapshot', '1 A', '2 B'])
    sessions.clear()
    expect((await books.client.get('/books', headers)).status).to.equal(401)
    await books.run(`update books set title = 'A2' where id = 1`)
    const ended = await books.next(stream)
    expect([ended?.event, ended?.data.errors?.[0].status]).to.deep.equal(['error', '401'])
  })
})
