import { type Recipe, runRecipe, startRecipe } from '../support.ts'

describe('docs/how-to/soft-delete.md', () => {
  let recipe: Recipe
  before(async () => {
    recipe = await startRecipe('soft-delete', { tokens: { ada: [], admin: ['admin'] } })
  })
  after(() => recipe.close())

  it('shows the responses that the application returns', () => runRecipe('soft-delete', recipe))
})
