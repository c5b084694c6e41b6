import { expect } from 'chai'
import { freezeClock } from '#test/support/clock.ts'
import { statementsOf } from '#test/support/statements.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'

describe('docs/how-to/custom-filter-and-sort.md', () => {
  freezeClock('2026-05-01T12:00:00Z')
  let recipe: Recipe
  before(async () => {
    recipe = await startRecipe('custom-filter-and-sort')
  })
  after(() => recipe.close())

  it('shows the responses that the application returns', () => runRecipe('custom-filter-and-sort', recipe))

  it('returns the rows that the filter excludes for its negation', async () => {
    const { body } = await recipe.client.get('/tasks?filter[overdue]=false')
    expect(body.data.map(({ id }: { id: string }) => id)).to.deep.equal(['1', '3'])
  })

  it('filters and sorts in one statement', async () => {
    expect(await statementsOf(() => recipe.client.get('/tasks?filter[overdue]=true&sort=-urgency'))).to.have.length(1)
  })
})
