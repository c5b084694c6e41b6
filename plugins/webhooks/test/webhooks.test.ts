import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { appConfig, pluginVariables, readConfig } from '#app/config.ts'
import { declaredResources } from '#app/resources.ts'
import { discover, loadMigrations } from '#discovery'
import { type Database, migrate } from '#store'
import { root, startApp, type TestApp } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/database.ts'
import { as } from '#test/support/principals.ts'
import { libraryEntities } from '#test/template/support/library/index.ts'
import {
  deliverCommitted,
  recordedBooks,
  recordedShelves,
  recordedTags,
  withPlugins,
} from '#test/template/support/recorded-library.ts'
import { webhooks } from '../index.ts'
import { WebhookDelivery } from '../resources/webhook-deliveries/entity.ts'
import { WebhookSubscription } from '../resources/webhook-subscriptions/entity.ts'

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`

describe('webhooks', () => {
  let database: Database
  let started: TestApp
  let receiver: Server
  let url: string
  let status = 204
  const received: Received[] = []
  const events = () => received.splice(0).map(({ body }) => `${JSON.parse(body).type} ${JSON.parse(body).data.id}`)
  const deliver = () => deliverCommitted(started.app)
  const run = (sql: string) => started.app.store.query(sql)
  const list = async (query = '') => {
    const { body } = await started.client.get(`/admin/webhook-deliveries${query}`, as('admin'))
    return body.data
  }
  const subscribe = (attributes: object = {}) =>
    started.client.post(
      '/admin/webhook-subscriptions',
      {
        data: {
          type: 'webhook-subscriptions',
          attributes: { url, types: ['books'], events: ['created', 'updated', 'deleted'], secret, ...attributes },
        },
      },
      as('admin'),
    )

  before(async () => {
    receiver = createServer(async (request, response) => {
      received.push({ headers: request.headers, body: await text(request) })
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end()
    })
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    const plugins = withPlugins(webhooks())
    const migrations = await loadMigrations({ root: '', folders: [] }, plugins)
    const entities = [...libraryEntities, WebhookSubscription, WebhookDelivery]
    database = await openTestDatabase({ entities, migrations })
    await database.orm.schema.create()
    await database.orm.em.fork().execute('drop table webhook_subscriptions, change_deliveries')
    await migrate(database)
    const own = await declaredResources(await discover(root, ['plugins/webhooks/resources']))
    const library = [recordedShelves, recordedBooks, recordedTags]
    const resources = [...own, ...library.map((resource) => ({ file: 'webhooks.test.ts', resource }))]
    const read = readConfig({ NODE_ENV: 'test', WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1' }, pluginVariables(plugins, {}))
    const { variables } = appConfig(read)
    started = await startApp({ plugins, resources, database, onWrite: () => {}, config: { variables } })
    await started.app.start()
    await started.app.store.queue.stop()
  })
  beforeEach(async () => {
    status = 204
    await run('delete from webhook_subscriptions')
    await run('delete from change_deliveries')
    await run('delete from books')
    await deliver()
    await run('delete from change_deliveries')
    received.splice(0)
  })
  after(async () => {
    await started?.close()
    await database?.close()
    receiver.close()
  })

  it('sends signed events of the selected types, with names of members and without values', async () => {
    expect((await subscribe()).status).to.equal(201)
    await run(`insert into shelves (name) values ('x')`)
    await run(`insert into books (id, title, secret) values (1, 'A', 's')`)
    await deliver()
    expect(received).to.have.length(1)
    const [{ headers, body }] = received.splice(0) as [Received]
    const { type, data, timestamp } = JSON.parse(body)
    expect(type).to.equal('books.created')
    expect(data).to.deep.equal({ type: 'books', id: '1', members: ['position', 'title'] })
    expect(timestamp).to.match(/^\d{4}-.*Z$/)
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    const [version, signature = ''] = String(headers['webhook-signature']).split(',')
    expect(version).to.equal('v1')
    const given = Buffer.from(signature, 'base64')
    expect(await crypto.subtle.verify('HMAC', key, given, new TextEncoder().encode(signed))).to.equal(true)
    await deliver()
    expect(received).to.deep.equal([])
  })

  it('repeats a failed event with the same id, in order for each resource', async () => {
    await subscribe()
    await run(`insert into books (id, title) values (1, 'A')`)
    status = 500
    await deliver()
    const [first] = received.splice(0)
    await run(`update books set title = 'B' where id = 1`)
    await run(`insert into books (id, title) values (2, 'C')`)
    status = 204
    await deliver()
    expect(events()).to.deep.equal(['books.created 2'])
    await run('update change_deliveries set due_at = now()')
    await deliver()
    expect(received[0]?.headers['webhook-id']).to.equal(first?.headers['webhook-id'])
    expect(events()).to.deep.equal(['books.created 1', 'books.updated 1'])
  })

  it('shows deliveries with their state, and sends one again by an action', async () => {
    await subscribe()
    await run(`insert into books (id, title) values (1, 'A')`)
    status = 503
    await deliver()
    await run('update change_deliveries set attempts = 15, due_at = now()')
    await deliver()
    const [dead] = await list('?filter[state]=dead')
    expect(dead.attributes).to.include({ state: 'dead', attempts: 16, error: 'The receiver returned 503.' })
    expect((await started.client.get('/admin/webhook-deliveries')).body.data).to.equal(undefined)
    status = 200
    received.splice(0)
    const resent = await started.client.post(
      `/admin/webhook-deliveries/${dead.id}/-actions/resend`,
      undefined,
      as('admin'),
    )
    expect(resent.body.data.attributes).to.include({ state: 'waiting', attempts: 0 })
    await deliver()
    expect(events()).to.deep.equal(['books.created 1'])
    expect((await list())[0].attributes.state).to.equal('delivered')
  })

  it('follows no redirect, and stops after 410', async () => {
    await subscribe()
    await run(`insert into books (id, title) values (1, 'A')`)
    status = 302
    await deliver()
    expect(received).to.have.length(1)
    expect((await list())[0].attributes.error).to.equal('The receiver returned 302.')
    status = 410
    await run('update change_deliveries set due_at = now()')
    await deliver()
    await run(`update books set title = 'B' where id = 1`)
    received.splice(0)
    await deliver()
    expect(received).to.deep.equal([])
  })

  it('needs the role admin, a valid URL and a secret, which it does not show', async () => {
    const { text: created } = await subscribe()
    expect(created).not.to.include(secret)
    expect((await started.client.get('/admin/webhook-subscriptions', as('ada@example.com'))).status).to.equal(403)
    for (const wrong of [{ url: 'ftp://x' }, { url: 'http://user@host/' }, { secret: 'short' }, { events: ['read'] }])
      expect((await subscribe(wrong)).status).to.equal(422)
  })
})
