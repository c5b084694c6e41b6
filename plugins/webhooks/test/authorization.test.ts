import { expect } from 'chai'
import type { TestApp } from '#test/support/app.ts'
import { authorizationMatrix } from '#test/support/authorization-matrix.ts'
import { as } from '#test/support/principals.ts'
import { secret, startWebhookLibrary } from '#test/template/support/webhook-library.ts'

const id = '018f0000-0000-7000-8000-000000000001'
const subscription = `/admin/webhook-subscriptions/${id}`
const attributes = { url: 'https://example.com/', types: ['books'], events: ['created'], secret }
const created = { data: { type: 'webhook-subscriptions', attributes } }
const paused = { data: { type: 'webhook-subscriptions', id, attributes: { active: false } } }
const delivery = '/admin/webhook-deliveries/1'

describe('Authorization of webhooks', () => {
  let started: TestApp
  before(async () => {
    started = await startWebhookLibrary()
    await started.app.store.query(
      `insert into webhook_subscriptions (id, url, types, events, secret)
       values ('${id}', 'https://example.com/', '{books}', '{created}', '${secret}')`,
    )
    await started.app.store.query(
      `insert into change_deliveries (consumer, receiver, sequence, type, key, payload, state)
       values ('webhooks', '${id}', 1, 'books', '1', '{}', 'dead')`,
    )
    await started.app.store.query(
      `insert into change_deliveries (consumer, receiver, sequence, type, key, payload, state)
       values ('onChange', 'onChange', 1, 'books', '1', '{}', 'dead')`,
    )
  })
  after(() => started.close())

  const principals = { anonymous: {}, 'ada@example.com': as('ada@example.com'), admin: as('admin') }
  authorizationMatrix(() => started.client, principals, [
    ['GET /admin/webhook-subscriptions', [401, 403, 200]],
    ['HEAD /admin/webhook-subscriptions', [401, 403, 200]],
    [`GET ${subscription}`, [404, 404, 200]],
    ['POST /admin/webhook-subscriptions', [401, 403, 201], created],
    [`PATCH ${subscription}`, [404, 404, 200], paused],
    ['GET /admin/webhook-deliveries', [401, 403, 200]],
    [`GET ${delivery}`, [404, 404, 200]],
    [`POST ${delivery}/-actions/resend`, [404, 404, 200]],
    ['POST /admin/webhook-deliveries', [405, 405, 405], created],
    [`DELETE ${delivery}`, [405, 405, 405]],
    [`DELETE ${subscription}`, [404, 404, 204]],
    // Not on the default server, and no deliveries of other consumers.
    ['GET /webhook-subscriptions', [404, 404, 404]],
    ['GET /webhook-deliveries', [404, 404, 404]],
    ['GET /admin/webhook-deliveries/2', [404, 404, 404]],
    ['POST /admin/webhook-deliveries/2/-actions/resend', [404, 404, 404]],
  ])

  it('leaves the secret out of every response and of the OpenAPI schema of responses', async () => {
    await started.client.post('/admin/webhook-subscriptions', created, as('admin'))
    const list = await started.client.get('/admin/webhook-subscriptions', as('admin'))
    expect(list.body.data).not.to.have.length(0)
    const [{ id: listed }] = list.body.data
    const one = await started.client.get(
      `/admin/webhook-subscriptions/${listed}?fields[webhook-subscriptions]=url`,
      as('admin'),
    )
    for (const { text } of [list, one]) expect(text).not.to.include('secret').and.not.to.include('whsec_')
    const named = await started.client.get(
      '/admin/webhook-subscriptions?fields[webhook-subscriptions]=secret',
      as('admin'),
    )
    expect(named.text).not.to.include('whsec_')
  })

  it('is described by the OpenAPI document of the server admin, with the action', async () => {
    const response = await fetch(`${started.client.url}/admin/docs.json`, { headers: as('admin') })
    const document = (await response.json()) as { readonly paths: Readonly<Record<string, object>> }
    const methodsOf = (path: string) => Object.keys(document.paths[path] ?? {}).filter((name) => name !== 'parameters')
    expect(methodsOf('/webhook-subscriptions')).to.include.members(['get', 'post'])
    expect(methodsOf('/webhook-subscriptions/{id}')).to.include.members(['get', 'patch', 'delete'])
    expect(methodsOf('/webhook-deliveries')).to.deep.equal(['get'])
    expect(methodsOf('/webhook-deliveries/{id}')).to.deep.equal(['get'])
    expect(methodsOf('/webhook-deliveries/{id}/-actions/resend')).to.deep.equal(['post'])
  })
})
