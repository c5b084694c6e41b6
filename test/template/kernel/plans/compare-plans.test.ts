import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource } from '#kernel'
import { libraryWith } from '#test/template/specification/library-app.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { compareReads } from '#test/template/support/compare-plans.ts'
import { Book } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

// `npm run template -- plans` sends reads in all states of a plan, and finds responses that depend on the state.

describe('The comparison of plans', () => {
  let requests = 0
  let reads = 0
  beforeEach(async () => {
    await fillLibrary()
    requests = 0
    reads = 0
  })
  after(emptyLibrary)

  const getCompared = async (path: string, meta: () => Record<string, unknown>) => {
    const books = defineResource(Book, { type: 'books', fields: ({ id, string }) => [id(), string('title')], meta })
    const comparison = compareReads()
    const counting = { name: 'counting', onQuery: () => void reads++ }
    const app = await startLibrary({ resources: libraryWith(books), plugins: [...plugins, counting] })
    try {
      for (let time = 0; time < 2; time++) await app.client.get(path)
    } finally {
      comparison.end()
      await app.close()
    }
    comparison.throwDifferences()
  }

  it('sends each read six times, with plans that are cold, admitted, warm, off and shared', async () => {
    await getCompared('/books/1?fields[books]=title', () => {
      requests++
      return {}
    })
    const [first, second] = [5, 3] // cold, admitted and off; and those with the plans of the application before they are kept
    expect([requests, reads]).to.deep.equal([12, first + second])
  })

  it('fails when a response differs', async () => {
    const failure = await getCompared('/books/1', () => ({ number: requests++ })).catch((error: Error) => error)
    expect(failure?.message).to.match(/books\/1 returns another response when its plan is cold/)
  })
})
