import { expect } from 'chai'
import { statementsOf } from '#test/support/statements.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'

describe('docs/how-to/id-format.md', () => {
  let recipe: Recipe
  before(async () => {
    recipe = await startRecipe('id-format')
  })
  after(() => recipe.close())

  it('shows the responses that the application returns', () => runRecipe('id-format', recipe))

  for (const [type, format] of [
    ['documents', /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
    ['events', /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/],
    ['tickets', /^\d+$/],
    ['vouchers', /^v-[0-9a-f]+$/],
  ] as const) {
    it(`generates ids of the format ${format} for ${type}, and finds the resource by it`, async () => {
      const created = await recipe.client.post(`/${type}`, { data: { type, attributes: { title: 'First' } } })
      expect(created.status).to.equal(201)
      expect(created.body.data.id).to.match(format)
      expect((await recipe.client.get(`/${type}/${created.body.data.id}`)).body.data).to.deep.equal(created.body.data)
      for (const id of ['x', '-', '%20', 'v-0', '99999999999999999999']) {
        const find = async () => expect((await recipe.client.get(`/${type}/${id}`)).status, id).to.equal(404)
        expect(await statementsOf(find)).to.deep.equal([])
      }
    })
  }
})
