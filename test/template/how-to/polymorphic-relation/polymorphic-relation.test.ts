import { expect } from 'chai'
import { pendingMigrations } from '#store'
import { expectConstantQueries } from '#test/support/constant-queries.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'

describe('docs/how-to/polymorphic-relation.md', () => {
  let recipe: Recipe
  before(async () => {
    recipe = await startRecipe('polymorphic-relation')
  })
  after(() => recipe.close())

  const comment = (type: string, id: string) => ({
    data: { type: 'comments', attributes: { text: 'Nice' }, relationships: { subject: { data: { type, id } } } },
  })

  it('shows the responses that the application returns', () => runRecipe('polymorphic-relation', recipe))

  it('reads the subjects by one statement per type, for any number of comments', async () => {
    await recipe.client.post('/photos', { data: { type: 'photos', attributes: { title: 'Dawn' } } })
    await recipe.client.post('/comments', comment('photos', '2'))
    await expectConstantQueries(recipe, '/comments?include=subject', async () => {
      for (let count = 0; count < 4; count++) await recipe.client.post('/comments', comment('photos', '2'))
    })
  })

  it('returns 400 for a filter value that is not an id', async () => {
    for (const value of ['x', '1.5', '99999999999', '']) {
      expect((await recipe.client.get(`/comments?filter[posts]=${value}`)).status, value).to.equal(400)
    }
  })

  it('deletes the comments of a deleted subject, and none of a subject of another type with the same id', async () => {
    await recipe.client.post('/posts', { data: { type: 'posts', attributes: { title: 'Second' } } })
    const kept = await recipe.client.post('/comments', comment('posts', '2'))
    expect(kept.status).to.equal(201)
    expect((await recipe.client.delete('/photos/2')).status).to.equal(204)
    const { body } = await recipe.client.get('/comments?filter[photos]=2')
    expect(body.data).to.deep.equal([])
    expect((await recipe.client.get(`/comments/${kept.body.data.id}`)).status).to.equal(200)
  })

  it('has tables that equal the entities after the migrations', async () => {
    expect(await pendingMigrations(recipe.database)).to.deep.equal([])
    expect(await recipe.app.store.missingColumns()).to.deep.equal([])
  })
})
