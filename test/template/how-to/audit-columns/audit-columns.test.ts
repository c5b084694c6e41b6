import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { atomicHeaders } from '#test/support/batch.ts'
import { freezeClock } from '#test/support/clock.ts'
import { as } from '#test/support/principals.ts'
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

    it('changes them for a write at the relationship URL and for an operation of a batch', async () => {
      const ada = as('ada@example.com')
      const path = '/contracts/1/relationships/replaces'
      expect((await recipe.client.patch(path, { data: { type: 'contracts', id: '1' } }, ada)).status).to.equal(200)
      expect((await recipe.client.get('/contracts/1')).body.data.attributes.updatedBy).to.equal('ada@example.com')
      const data = { type: 'contracts', id: '1', attributes: { title: 'Lease' } }
      const headers = { ...atomicHeaders, ...as('bob@example.com') }
      const body = { 'atomic:operations': [{ op: 'update', data }] }
      expect((await recipe.client.post('/operations', body, headers)).status).to.equal(200)
      expect((await recipe.client.get('/contracts/1')).body.data.attributes.updatedBy).to.equal('bob@example.com')
    })
  })
})
