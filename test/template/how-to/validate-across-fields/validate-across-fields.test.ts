import { expect } from 'chai'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'

describe('docs/how-to/validate-across-fields.md', () => {
  let recipe: Recipe
  before(async () => {
    recipe = await startRecipe('validate-across-fields')
  })
  after(() => recipe.close())

  const booking = (startsOn: string, endsOn: string, room: string) => ({
    data: {
      type: 'bookings',
      attributes: { startsOn, endsOn },
      relationships: { room: { data: { type: 'rooms', id: room } } },
    },
  })

  it('shows the responses that the application returns', () => runRecipe('validate-across-fields', recipe))

  it('accepts one of several concurrent requests for the same room and days', async () => {
    const body = booking('2026-09-01', '2026-09-05', '2')
    const statuses = await Promise.all([1, 2, 3].map(async () => (await recipe.client.post('/bookings', body)).status))
    expect(statuses.toSorted()).to.deep.equal([201, 409, 409])
  })

  it('checks the stored value of a field that an update does not send', async () => {
    const { body } = await recipe.client.post('/bookings', booking('2026-10-01', '2026-10-05', '2'))
    const { id } = body.data
    const update = (attributes: object) =>
      recipe.client.patch(`/bookings/${id}`, { data: { type: 'bookings', id, attributes } })
    expect((await update({ endsOn: '2026-10-04' })).status).to.equal(200)
    expect((await update({ startsOn: '2026-10-04' })).status).to.equal(422)
    expect((await update({ discount: 10 })).status).to.equal(422)
    expect((await update({ discount: 10, discountReason: 'Returning guest' })).status).to.equal(200)
    expect((await update({ discountReason: null })).status).to.equal(422)
  })

  it('returns 404 for the relationship URL, which would bypass the check', async () => {
    const body = { data: { type: 'rooms', id: '2' } }
    expect((await recipe.client.patch('/bookings/1/relationships/room', body)).status).to.equal(404)
  })
})
