import { expect } from 'chai'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'

describe('docs/how-to/rename-attribute.md', () => {
  let recipe: Recipe
  before(async () => {
    recipe = await startRecipe('rename-attribute')
  })
  after(() => recipe.close())

  it('shows the responses that the application returns', () => runRecipe('rename-attribute', recipe))

  it('stores the value of the new name when both are sent, in any order', async () => {
    for (const attributes of [
      { name: 'Old', title: 'New' },
      { title: 'New', name: 'Old' },
    ]) {
      const { body } = await recipe.client.post('/products', { data: { type: 'products', attributes } })
      expect(body.data.attributes).to.deep.equal({ name: 'New', title: 'New' })
    }
  })

  it('marks the old name as deprecated in the OpenAPI document', async () => {
    const { components } = JSON.parse((await recipe.client.get('/docs.json')).text)
    expect(components.schemas.ProductsAttributes.properties.name.deprecated).to.equal(true)
    expect(components.schemas.ProductsAttributes.properties.title).not.to.have.property('deprecated')
  })
})
