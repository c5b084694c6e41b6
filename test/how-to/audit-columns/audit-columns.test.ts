import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { freezeClock } from '#test/support/clock.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'
import { audit } from './plugins/audit/index.ts'

describe('docs/how-to/audit-columns.md', () => {
  let recipe: Recipe
  before(async () => {
    const tokens = { 'ada@example.com': [], 'bob@example.com': [] }
    recipe = await startRecipe('audit-columns', { plugins: [...plugins, audit()], tokens })
  })
  after(() => recipe.close())

  describe('on 2026-05-01 at noon', () => {
    freezeClock('2026-05-01T12:00:00Z')

    it('shows the responses that the application returns', () => runRecipe('audit-columns', recipe))
  })

  describe('on the next day', () => {
    freezeClock('2026-05-02T12:00:00Z')

    it('changes only the columns of the last change, and ignores values that clients send', async () => {
      const attributes = {
        title: 'Rent',
        createdBy: 'mallory',
        createdAt: '2000-01-01T00:00:00Z',
        updatedBy: 'mallory',
      }
      const data = { type: 'contracts', id: '1', attributes }
      const { body } = await recipe.client.patch('/contracts/1', { data })
      expect(body.data.attributes).to.deep.equal({
        title: 'Rent',
        createdAt: '2026-05-01T12:00:00+00:00',
        createdBy: 'ada@example.com',
        updatedAt: '2026-05-02T12:00:00+00:00',
        updatedBy: null,
      })
    })
  })
})
