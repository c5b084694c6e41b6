import { expect } from 'chai'
import { as } from '#test/support/principals.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'

describe('docs/how-to/state-machine.md', () => {
  let recipe: Recipe
  before(async () => {
    const tokens = { ada: ['employee'], max: ['manager', 'employee'] }
    recipe = await startRecipe('state-machine', { tokens })
  })
  after(() => recipe.close())

  it('shows the responses that the application returns', () => runRecipe('state-machine', recipe))

  it('ignores the status of a new resource', async () => {
    const data = { type: 'claims', attributes: { title: 'Hotel', status: 'paid' } }
    expect((await recipe.client.post('/claims', { data })).body.data.attributes.status).to.equal('draft')
  })

  it('accepts one of several concurrent transitions from the same status', async () => {
    const { body } = await recipe.client.post('/claims', { data: { type: 'claims', attributes: { title: 'Taxi' } } })
    const { id } = body.data
    const change = async (status: string) =>
      (await recipe.client.patch(`/claims/${id}`, { data: { type: 'claims', id, attributes: { status } } }, as('max')))
        .status
    expect(await change('submitted')).to.equal(200)
    const statuses = await Promise.all([change('approved'), change('rejected')])
    expect(statuses.toSorted()).to.deep.equal([200, 409])
  })
})
