import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { eventually } from '#test/support/eventually.ts'
import { expectExchange, readGuide } from '#test/template/support/guides.ts'
import { type Recipe, startRecipe } from '../support.ts'

describe('docs/how-to/call-another-service.md', () => {
  let recipe: Recipe
  let service: Server
  /** The Idempotency-Key of every call. */
  let calls: string[] = []
  let status = 201
  before(async () => {
    service = createServer((request, response) => {
      calls.push(String(request.headers['idempotency-key']))
      request.resume()
      response.writeHead(status).end()
    })
    await new Promise<void>((done) => service.listen(0, '127.0.0.1', done))
    process.env.PAYMENT_SERVICE_URL = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
    recipe = await startRecipe('call-another-service')
    await recipe.app.start()
  })
  beforeEach(() => {
    calls = []
  })
  after(async () => {
    delete process.env.PAYMENT_SERVICE_URL
    await recipe.close()
    service.close()
  })

  const pay = (id: string, amount: number) =>
    recipe.client.post('/payments', { data: { type: 'payments', id, attributes: { amount } } })
  const statusOf = async (id: string) => (await recipe.client.get(`/payments/${id}`)).body.data.attributes.status
  const settled = (id: string) => eventually(async () => (await statusOf(id)) !== 'pending')

  it('creates the payment while the service fails, and charges it once the service is back', async () => {
    const [create, read] = readGuide('how-to/call-another-service.md').exchanges
    if (!create || !read) throw new Error('The page has two requests.')
    status = 503
    await expectExchange(recipe.client, create)
    await eventually(() => calls.length > 0)
    status = 201
    await eventually(async () => {
      await recipe.database.orm.em
        .fork()
        .execute(`update pgboss.job set start_after = now() where name = 'charge-payment' and state = 'retry'`)
      return calls.length > 1
    })
    const id = read.path.split('/').at(-1) as string
    await settled(id)
    await expectExchange(recipe.client, read)
    expect(new Set(calls)).to.deep.equal(new Set([id]))
  })

  it('marks a payment as declined when the service returns 402', async () => {
    const id = '0197a000-0000-4000-8000-000000000002'
    status = 402
    await pay(id, 500)
    await settled(id)
    expect(await statusOf(id)).to.equal('declined')
  })

  it('calls nothing for a write that fails', async () => {
    const before = await countJobs()
    expect((await pay('0197a000-0000-4000-8000-000000000003', 0)).status).to.equal(422)
    expect((await pay('0197a000-0000-4000-8000-000000000002', 7)).status).to.equal(409)
    expect(await countJobs()).to.equal(before)
  })

  async function countJobs(): Promise<unknown> {
    const sql = `select count(*)::int as jobs from pgboss.job where name = 'charge-payment'`
    return (await recipe.database.orm.em.fork().execute(sql))[0]?.jobs
  }
})
