import { expect } from 'chai'
import { as, authorizationMatrix } from '#test/support/test-kit.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'

describe('docs/how-to/test-a-policy.md', () => {
  let recipe: Recipe
  before(async () => {
    recipe = await startRecipe('test-a-policy', { tokens: { ada: [], bob: [] } })
  })
  after(() => recipe.close())
  const client = () => recipe.client

  it('shows the responses that the application returns', () => runRecipe('test-a-policy', recipe))

  describe('access to notes', () => {
    const shared = '/notes/1'
    const hidden = '/notes/2'
    const change = { data: { type: 'notes', id: '1', attributes: { title: 'Plan' } } }
    const created = { data: { type: 'notes', attributes: { title: 'New' } } }

    authorizationMatrix(client, { anonymous: {}, bob: as('bob'), ada: as('ada') }, [
      ['GET /notes', [200, 200, 200]],
      [`GET ${shared}`, [200, 200, 200]],
      [`GET ${hidden}`, [404, 404, 200]],
      ['POST /notes', [401, 201, 201], created],
      [`PATCH ${shared}`, [401, 403, 200], change],
      [`DELETE ${hidden}`, [404, 404, 204]],
    ])

    it('hides the notes of others from collections and totals', async () => {
      const { body } = await client().get('/notes?withCount=_self_', as('bob'))
      const owners = body.data.map(({ attributes }: { attributes: { owner: string } }) => attributes.owner)
      expect(owners).to.deep.equal(['ada', 'bob'])
    })
  })
})
