import { expect } from 'chai'
import { statementsOf } from '#test/support/statements.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'

describe('docs/how-to/second-type.md', () => {
  let recipe: Recipe
  before(async () => {
    recipe = await startRecipe('second-type', { tokens: { helen: ['hr'] } })
  })
  after(() => recipe.close())

  it('shows the responses that the application returns', () => runRecipe('second-type', recipe))

  it('does not select columns that the type does not declare', async () => {
    const [statement, ...others] = await statementsOf(() => recipe.client.get('/contacts'))
    expect(others).to.deep.equal([])
    expect(statement?.sql).not.to.include('salary')
  })

  it('rejects filters, sorts and fieldsets by members of the other type', async () => {
    for (const query of ['filter[salary]=1', 'sort=salary', 'fields[contacts]=salary']) {
      expect((await recipe.client.get(`/contacts?${query}`)).status, query).to.equal(400)
    }
  })
})
