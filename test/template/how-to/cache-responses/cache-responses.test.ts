import { expect } from 'chai'
import { as } from '#test/support/principals.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'

describe('docs/how-to/cache-responses.md', () => {
  let recipe: Recipe
  before(async () => {
    recipe = await startRecipe('cache-responses', { tokens: { ada: ['editor'] } })
  })
  after(() => recipe.close())

  it('allows shared caches to store reads, the same for every requester', async () => {
    const anonymous = await recipe.client.get('/articles')
    const editor = await recipe.client.get('/articles', as('ada'))
    for (const { headers } of [anonymous, editor]) {
      expect(headers.get('cache-control')).to.equal('public, max-age=60, s-maxage=600')
      expect(headers.get('vary')).not.to.include('Authorization')
    }
    expect(editor.headers.get('etag')).to.equal(anonymous.headers.get('etag')).and.to.be.a('string')
  })

  it('sends no caching headers with errors and writes', async () => {
    const missing = await recipe.client.get('/articles/9')
    const denied = await recipe.client.delete('/articles/1')
    expect([missing.status, denied.status]).to.deep.equal([404, 401])
    for (const { headers } of [missing, denied]) expect(headers.get('cache-control')).to.equal(null)
  })

  it('returns 304 until the article changes', async () => {
    const { headers } = await recipe.client.get('/articles/1')
    const conditional = { 'if-none-match': headers.get('etag') as string }
    expect((await recipe.client.get('/articles/1', conditional)).status).to.equal(304)
    await runRecipe('cache-responses', recipe)
    expect((await recipe.client.get('/articles/1', conditional)).status).to.equal(200)
  })
})
