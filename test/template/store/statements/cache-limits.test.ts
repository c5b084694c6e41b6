import { expect } from 'chai'
import { countCachedStatements, maxStatements } from '#store/sql/run-statement.ts'
import { testDatabase } from '#test/support/database.ts'
import { createTestApp, type TestApp } from '#test/support/test-kit.ts'

describe('The statement cache', () => {
  let running: TestApp
  before(async () => {
    // The statements are compiled, and not sent.
    const none = { rows: [], command: 'SELECT', rowCount: 0 }
    const snapshot = { query: async () => none, cancel: async () => {}, end: () => {} }
    const database = { ...(await testDatabase()), query: async () => [], beginSnapshot: async () => snapshot }
    running = await createTestApp({ database })
  })
  after(() => running.close())

  it(`keeps at most ${maxStatements} statements when queries need more`, async () => {
    const orders = permutations(['title', 'releasedAt', 'status']).flatMap((order) => [
      order,
      `-${order}`,
      order.replaceAll(',', ',-'),
    ])
    const fieldsets = subsets([
      'title',
      'explicit',
      'status',
      'releasedAt',
      'availableFrom',
      'availableUntil',
      'artist',
    ])
    for (const fields of fieldsets) {
      // Without the client, which validates every document.
      const answers = orders.map((sort) =>
        fetch(`${running.client.url}/albums?page[size]=1&fields[albums]=${fields}&sort=${sort}`),
      )
      for (const response of await Promise.all(answers)) expect(response.status, await response.text()).to.equal(200)
    }
    expect(countCachedStatements()).to.equal(maxStatements)
  })
})

function permutations(names: readonly string[]): string[] {
  if (names.length === 1) return [...names]
  return names.flatMap((name) =>
    permutations(names.filter((other) => other !== name)).map((others) => `${name},${others}`),
  )
}

function subsets([first, ...rest]: readonly string[]): string[] {
  if (first === undefined) return ['averageRating']
  const others = subsets(rest)
  return [...others, ...others.map((names) => `${first},${names}`)]
}
