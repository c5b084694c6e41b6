import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import type { TestApp } from '#test/support/app.ts'
import { as } from '#test/support/principals.ts'
import { deliverCommitted, lengthenPauses } from '#test/template/support/recorded-library.ts'
import { secret, startWebhookLibrary } from '#test/template/support/webhook-library.ts'

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

describe('webhooks', () => {
  let started: TestApp
  let receiver: Server
  let url: string
  let status = 204
  let beforeResponse: () => Promise<unknown>
  const received: Received[] = []
  const events = () => received.splice(0).map(({ body }) => `${JSON.parse(body).type} ${JSON.parse(body).data.id}`)
  const deliver = () => deliverCommitted(started.app)
  const run = (sql: string) => started.app.store.query(sql)
  const list = async (query = '') => {
    const { body } = await started.client.get(`/admin/webhook-deliveries${query}`, as('admin'))
    return body.data
  }
  const subscribe = (attributes: object = {}, headers: Readonly<Record<string, string>> = {}) =>
    started.client.post(
      '/admin/webhook-subscriptions',
      {
        data: {
          type: 'webhook-subscriptions',
          attributes: { url, types: ['books'], events: ['created', 'updated', 'deleted'], secret, ...attributes },
        },
      },
      { ...as('admin'), ...headers },
    )

  before(async () => {
    receiver = createServer(async (request, response) => {
      received.push({ headers: request.headers, body: await text(request) })
      await beforeResponse()
      response.writeHead(status, { location: url }).end()
    })
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    started = await startWebhookLibrary()
    await lengthenPauses(started.app)
  })
  beforeEach(async () => {
    status = 204
    beforeResponse = async () => {}
    await run('delete from webhook_subscriptions')
    await run('delete from change_deliveries')
    await run('delete from books')
    await deliver()
    await run('delete from change_deliveries')
    received.splice(0)
  })
  after(async () => {
    await started?.close()
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
    expect(dead.attributes.payload).to.deep.equal(JSON.parse(received[0]?.body ?? ''))
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
    expect((await list())[0].attributes).to.include({
      state: 'cancelled',
      error: 'The receiver returned 410; its subscription was deactivated.',
    })
  })

  it('sends the event to the new URL after 410 from the former one', async () => {
    await subscribe()
    await run(`insert into books (id, title) values (1, 'A')`)
    status = 410
    beforeResponse = () => run(`update webhook_subscriptions set url = url || '?new'`)
    await deliver()
    expect(await run('select active from webhook_subscriptions')).to.deep.equal([{ active: true }])
    const [{ attributes }] = await list()
    expect(attributes).to.include({ state: 'waiting', error: 'The receiver returned 410 for a former URL.' })
    status = 204
    beforeResponse = async () => {}
    await run('update change_deliveries set due_at = now()')
    await deliver()
    expect(events()).to.deep.equal(['books.created 1', 'books.created 1'])
    expect((await list())[0].attributes.state).to.equal('delivered')
  })

  it('cancels the deliveries of a subscription that is paused or deleted, which can be sent again', async () => {
    const created = await subscribe()
    await run(`insert into books (id, title) values (1, 'A')`)
    status = 500
    await deliver()
    await run('update webhook_subscriptions set active = false')
    await run('update change_deliveries set due_at = now()')
    status = 204
    received.splice(0)
    await deliver()
    const [cancelled] = await list('?filter[state]=cancelled')
    expect(cancelled.attributes.error).to.equal('The subscription is not active.')
    expect(received).to.deep.equal([])
    await run('update webhook_subscriptions set active = true')
    await started.client.post(`/admin/webhook-deliveries/${cancelled.id}/-actions/resend`, undefined, as('admin'))
    await deliver()
    expect(events()).to.deep.equal(['books.created 1'])
    await started.client.delete(`/admin/webhook-subscriptions/${created.body.data.id}`, undefined, as('admin'))
    await started.client.post(`/admin/webhook-deliveries/${cancelled.id}/-actions/resend`, undefined, as('admin'))
    await deliver()
    expect(received).to.deep.equal([])
    expect((await list())[0].attributes).to.include({ state: 'cancelled', error: 'The subscription was deleted.' })
  })

  it('returns 422 for a type whose changes are not recorded', async () => {
    const { status, body } = await subscribe({ types: ['books', 'book', 'webhook-subscriptions'] })
    expect(status).to.equal(422)
    expect(body.errors.map(({ source }: { source: object }) => source)).to.deep.equal([
      { pointer: '/data/attributes/types/1' },
      { pointer: '/data/attributes/types/2' },
    ])
    expect(body.errors[0].detail)
      .to.include("Changes of 'book' are not recorded. Recorded: ")
      .and.to.include("'books'?")
    const german = await subscribe({ types: ['book'] }, { 'accept-language': 'de' })
    expect(german.body.errors[0].detail)
      .to.include('Änderungen von „book“ werden nicht aufgezeichnet. Aufgezeichnet: ')
      .and.to.include('„books“')
    const created = await subscribe()
    const { type, id } = created.body.data
    const data = { type, id, attributes: { types: ['labels'] } }
    const changed = await started.client.patch(`/admin/webhook-subscriptions/${id}`, { data }, as('admin'))
    expect(changed.status).to.equal(422)
  })

  it('returns 422 for a URL with an address to which nothing is sent', async () => {
    for (const host of [
      '10.0.0.1',
      '169.254.169.254',
      '[::1]',
      '[::ffff:10.0.0.1]',
      '2130706434',
      '0x7f.2',
      '0.0.0.0',
    ]) {
      const { status, body } = await subscribe({ url: `http://${host}/hook` })
      expect([status, body.errors?.[0].source], host).to.deep.equal([422, { pointer: '/data/attributes/url' }])
    }
    const { body } = await subscribe({ url: 'http://10.0.0.1:8080/hook' })
    expect(body.errors[0].detail).to.equal(
      'No events are sent to the address 10.0.0.1. Accepted: the URL of a public host.',
    )
    expect((await subscribe({ url: 'http://127.0.0.1:1/hook' })).status).to.equal(201) // it is in WEBHOOK_ALLOWED_ADDRESSES
  })

  it('needs the role admin, a valid URL and a secret, which it does not show', async () => {
    const { text: created } = await subscribe()
    expect(created).not.to.include(secret)
    expect((await started.client.get('/admin/webhook-subscriptions', as('ada@example.com'))).status).to.equal(403)
    const urls = ['ftp://x', 'file:///etc/passwd', 'http://user@host/', 'http://user:password@host/', 'http://', 'x']
    const malformed = ['http://host:99999/', 'http://[::1/', 'http://256.1.1.1/', 'http://a b/']
    const wrong = [...urls, ...malformed].map((url) => ({ url }))
    const secrets = ['short', `whsec_${'A'.repeat(33)}`, `whsec_${'A'.repeat(92)}`, `whsec_${'A'.repeat(31)}`]
    const lists = [{ types: [] }, { types: ['books', 'books'] }, { types: ['a b'] }, { types: 'books' }]
    const events = [[], ['read'], ['created', 'created']].map((kinds) => ({ events: kinds }))
    for (const one of [...wrong, ...secrets.map((text) => ({ secret: text })), ...lists, ...events])
      expect((await subscribe(one)).status, JSON.stringify(one)).to.equal(422)
    const { body, text: refused } = await subscribe({ secret: 'whsec_short' })
    expect(body.errors[0].detail).to.equal("'secret' must be whsec_ and 24 to 64 bytes in Base64.")
    expect(refused).not.to.include('whsec_short')
    for (const valid of ['HTTPS://EXAMPLE.com/?to=a@b', 'http://[2606:2800:220:1::1]:8080/hook'])
      expect((await subscribe({ url: valid })).status, valid).to.equal(201)
    expect((await subscribe({ secret: `whsec_${Buffer.alloc(64).toString('base64')}` })).status).to.equal(201)
    expect((await subscribe({ secret: `whsec_${Buffer.alloc(24).toString('base64')}` })).status).to.equal(201)
  })
})
