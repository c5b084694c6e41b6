import { expect } from 'chai'
import { add, expectFailure, readResults, remove, sendBatch } from '#test/support/batch.ts'
import type { ClientResponse } from '#test/support/client.ts'
import { as } from '#test/support/principals.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'

describe('docs/how-to/change-another-resource.md', () => {
  let recipe: Recipe
  before(async () => {
    recipe = await startRecipe('change-another-resource', { tokens: { 'ada@example.com': ['admin'] } })
  })
  after(() => recipe.close())

  const productOf = (id: string) => ({ product: { type: 'products', id } })
  const order = (product: string, quantity: number) => {
    const { data } = add('order-lines', { quantity }, productOf(product))
    return recipe.client.post('/order-lines', { data })
  }
  const stockOf = async (product: string): Promise<number> =>
    (await recipe.client.get(`/products/${product}`)).body.data.attributes.stock
  const restock = (product: string, stock: number) => {
    const data = { type: 'products', id: product, attributes: { stock } }
    return recipe.client.patch(`/products/${product}`, { data }, as('ada@example.com'))
  }
  const idsOf = (responses: readonly ClientResponse[]) => responses.map(({ body }) => body.data.id as string)

  it('shows the responses that the application returns', () => runRecipe('change-another-resource', recipe))

  it('counts every one of 20 concurrent orders, and rejects those that exceed the stock', async () => {
    await restock('2', 12)
    const responses = await Promise.all(Array.from({ length: 20 }, () => order('2', 1)))
    const statuses = responses.map(({ status }) => status).toSorted()
    expect(statuses).to.deep.equal([...Array(12).fill(201), ...Array(8).fill(409)])
    expect(await stockOf('2')).to.equal(0)
  })

  it('loses no change of concurrent creates, updates and deletes', async () => {
    await restock('3', 100)
    const ids = idsOf(await Promise.all(Array.from({ length: 10 }, () => order('3', 2))))
    expect(await stockOf('3')).to.equal(80)
    const update = (id: string) =>
      recipe.client.patch(`/order-lines/${id}`, { data: { type: 'order-lines', id, attributes: { quantity: 5 } } })
    const responses = await Promise.all([
      ...ids.slice(0, 5).map(update),
      ...ids.slice(5).map((id) => recipe.client.delete(`/order-lines/${id}`)),
      ...ids.slice(5).map(() => order('3', 1)),
    ])
    expect(responses.map(({ status }) => status)).to.deep.equal([200, 204, 201].flatMap((code) => Array(5).fill(code)))
    expect(await stockOf('3')).to.equal(80 - 5 * 3 + 5 * 2 - 5 * 1)
  })

  it('counts every operation of concurrent batches that order products in opposite orders', async () => {
    await Promise.all([restock('2', 50), restock('3', 50)])
    const batch = (...products: readonly string[]) =>
      sendBatch(
        recipe.client,
        products.map((product) => add('order-lines', { quantity: 2 }, productOf(product))),
      )
    const responses = await Promise.all([batch('2', '3', '2'), batch('3', '2', '3')])
    for (const response of responses) expect(readResults(response)).to.have.length(3)
    expect([await stockOf('2'), await stockOf('3')]).to.deep.equal([44, 44])
  })

  it('reads the stock of earlier operations in a batch, and rolls all of them back after an error', async () => {
    await restock('2', 5)
    const line = (quantity: number) => add('order-lines', { quantity }, productOf('2'))
    const failed = await sendBatch(recipe.client, [line(3), line(3)])
    expectFailure(failed, 409, 'OUT_OF_STOCK', '/atomic:operations/1/data/attributes/quantity')
    expect(await stockOf('2')).to.equal(5)
    const [id = ''] = idsOf([await order('2', 3)])
    const replaced = await sendBatch(recipe.client, [remove({ type: 'order-lines', id }), line(5)])
    expect(replaced.status, replaced.text).to.equal(200)
    expect(await stockOf('2')).to.equal(0)
  })

  it('returns 401 when an anonymous requester writes the stock, which an order of the same requester changes', async () => {
    await restock('2', 5)
    const data = { type: 'products', id: '2', attributes: { stock: 9 } }
    expect((await recipe.client.patch('/products/2', { data })).status).to.equal(401)
    expect((await order('2', 1)).status).to.equal(201)
    expect(await stockOf('2')).to.equal(4)
  })

  it('returns 412 when the stock has changed since the product was read', async () => {
    const { headers } = await recipe.client.get('/products/2')
    await order('2', 1)
    const data = { type: 'products', id: '2', attributes: { name: 'Stool' } }
    const known = { ...as('ada@example.com'), 'if-match': headers.get('etag') ?? '' }
    expect((await recipe.client.patch('/products/2', { data }, known)).status).to.equal(412)
  })

  it('ignores another product in an update', async () => {
    const [id = ''] = idsOf([await order('2', 1)])
    const stocks = [await stockOf('2'), await stockOf('3')]
    const relationships = { product: { data: { type: 'products', id: '3' } } }
    const { status } = await recipe.client.patch(`/order-lines/${id}`, {
      data: { type: 'order-lines', id, relationships },
    })
    expect(status).to.equal(200)
    expect([await stockOf('2'), await stockOf('3')]).to.deep.equal(stocks)
  })
})
