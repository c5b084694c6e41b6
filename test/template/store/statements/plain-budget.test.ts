import { expect } from 'chai'
import type { TestApp } from '#test/support/app.ts'
import { selectedColumns, statementsOf } from '#test/support/statements.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'
import {
  collectionCosts,
  fillShelves,
  libraryWithoutPolicies,
  readCosts,
  windowCosts,
  windowed,
} from '#test/template/support/plain-budget.ts'

// The number of statements of reads without policies, custom providers and linkage that is always shown.

describe('A read without policies and hooks', () => {
  let library: TestApp

  before(async () => {
    await fillShelves()
    library = await startLibrary({ resources: libraryWithoutPolicies })
  })

  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  const costOf = async (path: string, headers: Record<string, string> = {}) => {
    const statements = await statementsOf(async () => {
      const { status, text } = await library.client.get(path, headers)
      expect(status, text).to.equal(200)
    })
    return statements.length
  }

  for (const [what, path, cost] of collectionCosts) {
    it(`of ${what} sends ${cost} statements for 5 rows and for 50: ${path}`, async () => {
      for (const size of [5, 50]) {
        const sized = `${path}${path.includes('?') ? '&' : '?'}page[size]=${size}`
        expect((await library.client.get(sized)).body.data).to.have.length(size)
        expect(await costOf(sized)).to.equal(cost)
      }
    })
  }

  for (const [path, cost] of windowCosts) {
    it(`of one page per parent sends one statement per relation for 5 and for 50 parents: ${path}`, async () => {
      for (const size of [5, 50]) {
        const sized = `${path}&page[size]=${size}`
        const { body } = await library.client.get(sized, windowed)
        expect(body.data).to.have.length(size)
        const [relation = ''] = /(?<=include=)\w+/.exec(path) ?? []
        for (const item of body.data) expect(item.relationships[relation].data).to.have.length(2)
        expect(await costOf(sized, windowed)).to.equal(cost)
      }
    })
  }

  for (const [path, most] of readCosts) {
    it(`of ${path} sends at most ${most} statements`, async () => {
      expect(await costOf(path)).to.be.within(1, most)
    })
  }

  const read = (path: string) =>
    statementsOf(async () => expect((await library.client.get(path)).status, path).to.equal(200))

  it('selects identifiers only for linkage that is always shown', async () => {
    const [tagged, members, ...rest] = await read('/shown-tags')
    expect(rest).to.deep.equal([])
    expect(selectedColumns(tagged?.sql)).to.deep.equal(['id', 'name'])
    expect(selectedColumns(members?.sql)).to.deep.equal(['id', 'tag_id'])
  })

  it('partitions a cursor page by parent with row_number', async () => {
    const [, members] = await read('/shelves?include=latest')
    expect(members?.sql).to.contain('row_number() over (partition by')
  })

  it('binds the values of a cursor as parameters', async () => {
    const title = `'); drop table books; --`
    const token = { k: ['title', 'id'], v: [title, 3], d: 'after' }
    const after = Buffer.from(JSON.stringify(token)).toString('base64url')
    const statements = await read(`/shelves/1/latest?sort=title&page[after]=${after}`)
    expect(statements.map(({ sql }) => sql).join()).not.to.contain('drop')
    expect(statements.at(-1)?.parameters).to.include(title)
  })
})
