import { type Recipe, runRecipe, startRecipe } from '../support.ts'

describe('docs/how-to/custom-action.md', () => {
  let recipe: Recipe
  before(async () => {
    recipe = await startRecipe('custom-action', { tokens: { ada: ['accountant'], bob: [] } })
  })
  after(() => recipe.close())

  it('shows the responses that the application returns', () => runRecipe('custom-action', recipe))
})
