import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { appConfig, pluginVariables, readConfig } from '#app/config.ts'
import { plugins as listed } from '#app/plugins.ts'
import { eventually } from '#test/support/eventually.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'
import { webhooks } from './plugins/webhooks/index.ts'

const secret = 'a secret of more than thirty-two characters'
const plugins = [...listed, webhooks()]

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

describe('docs/how-to/webhook-on-change.md', () => {
  let recipe: Recipe
  let receiver: Server
  let received: Received[] = []
  let statuses: number[] = []
  before(async () => {
    receiver = createServer(async (request, response) => {
      received.push({ headers: request.headers, body: await text(request) })
      response.writeHead(statuses.shift() ?? 204).end()
    })
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`
    const env = { NODE_ENV: 'test', WEBHOOK_URL: url, WEBHOOK_SECRET: secret }
    const config = appConfig(readConfig(env, pluginVariables(plugins, env)))
    recipe = await startRecipe('webhook-on-change', { plugins, config })
    await recipe.app.start()
  })
  beforeEach(() => {
    received = []
    statuses = []
  })
  after(async () => {
    await recipe.close()
    receiver.close()
  })

  const events = () => received.map(({ body }) => JSON.parse(body))
  const documentOf = (article: string) => ({ data: { type: 'orders', attributes: { article } } })
  /** Makes a retry due at once, instead of after its delay. */
  const skipDelay = () =>
    recipe.database.orm.em
      .fork()
      .execute(`update pgboss.job set start_after = now() where name = 'webhook' and state = 'retry'`)

  const countJobs = async () => {
    const sql = `select count(*)::int as jobs from pgboss.job where name = 'webhook'`
    return (await recipe.database.orm.em.fork().execute(sql))[0]?.jobs
  }

  it('sends a signed event for every write of the page', async () => {
    await runRecipe('webhook-on-change', recipe)
    await eventually(() => received.length === 3)
    expect(events()).to.have.deep.members([
      { event: 'created', type: 'orders', id: '1' },
      { event: 'updated', type: 'orders', id: '1' },
      { event: 'deleted', type: 'orders', id: '1' },
    ])
    for (const { headers, body } of received) {
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
      const signature = createHmac('sha256', secret).update(signed).digest('base64')
      expect(headers['webhook-signature']).to.equal(`v1,${signature}`)
    }
  })

  it('repeats an event with the same id until the receiver answers with 2xx', async () => {
    statuses = [503]
    await recipe.client.post('/orders', documentOf('Tea'))
    await eventually(async () => {
      await skipDelay()
      return received.length === 2
    })
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).to.equal(1)
  })

  it('sends nothing for a write that is rolled back', async () => {
    const before = await countJobs()
    const add = { op: 'add', ...documentOf('Milk') }
    const failing = { op: 'remove', ref: { type: 'orders', id: '999' } }
    const media = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'
    const { status } = await recipe.client.send('POST', '/operations', {
      body: { 'atomic:operations': [add, failing] },
      headers: { 'content-type': media, accept: media },
    })
    expect(status).to.equal(404)
    expect(await countJobs()).to.equal(before)
  })

  it('does not start when WEBHOOK_URL is set without WEBHOOK_SECRET', () => {
    const env = { NODE_ENV: 'test', WEBHOOK_URL: 'https://example.com' }
    expect(() => readConfig(env, pluginVariables(plugins, env))).to.throw('WEBHOOK_SECRET is required')
  })
})
