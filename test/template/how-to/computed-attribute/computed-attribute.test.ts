import { expect } from 'chai'
import { expectConstantQueries } from '#test/support/constant-queries.ts'
import { statementsOf } from '#test/support/statements.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'
import { OrderLine } from './resources/order-lines/entity.ts'
import { Order } from './resources/orders/entity.ts'

describe('docs/how-to/computed-attribute.md', () => {
  let recipe: Recipe
  before(async () => {
    recipe = await startRecipe('computed-attribute')
  })
  after(() => recipe.close())

  it('shows the responses that the application returns', () => runRecipe('computed-attribute', recipe))

  it('reads a collection with both aggregates by three statements, for any number of rows', async () => {
    expect(await statementsOf(() => recipe.client.get('/orders'))).to.have.length(3)
    await expectConstantQueries(recipe, '/orders?include=lines', async () => {
      const em = recipe.database.orm.em.fork()
      const orders = [11, 12, 13, 14].map((id) => ({ id, firstName: 'A', lastName: 'B' }))
      await em.insertMany(Order, orders)
      await em.insertMany(
        OrderLine,
        orders.map(({ id }) => ({ id, order: id, product: 'Ink', quantity: 1, price: 2 })),
      )
    })
  })

  it('sends no statement for aggregates that the response does not show', async () => {
    expect(await statementsOf(() => recipe.client.get('/orders?fields[orders]=customer'))).to.have.length(1)
  })

  it('returns the aggregates of included and of new resources', async () => {
    const { body } = await recipe.client.get('/order-lines/1?include=order')
    expect(body.included[0].attributes).to.include({ lineCount: 2, total: 8.5 })
    const data = { type: 'orders', attributes: { firstName: 'Alan', lastName: 'Turing' } }
    const created = await recipe.client.post('/orders', { data })
    expect(created.body.data.attributes).to.include({ customer: 'Alan Turing', lineCount: 0, total: 0 })
  })
})
