import { expect } from 'chai'
import { as } from '#test/support/principals.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'

describe('docs/how-to/default-filter.md', () => {
  let recipe: Recipe
  before(async () => {
    recipe = await startRecipe('default-filter', { tokens: { ada: [], bob: [], edith: ['editor'] } })
  })
  after(() => recipe.close())

  it('shows the responses that the application returns', () => runRecipe('default-filter', recipe))

  it('shows a draft to its author and to editors only', async () => {
    for (const [token, status] of [
      ['ada', 200],
      ['edith', 200],
      ['bob', 404],
    ] as const) {
      expect((await recipe.client.get('/articles/2', as(token))).status, token).to.equal(status)
    }
  })

  it('returns 404 for an update of a draft by another requester, and 403 for one of a published article', async () => {
    for (const [id, status] of [
      ['2', 404],
      ['1', 403],
    ] as const) {
      const data = { type: 'articles', id, attributes: { title: 'Mine' } }
      expect((await recipe.client.patch(`/articles/${id}`, { data }, as('bob'))).status).to.equal(status)
    }
  })
})
