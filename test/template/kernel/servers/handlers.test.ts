import { expect } from 'chai'
import type { Handler } from '#app/kernel/contract/operation.ts'
import { plugins } from '#app/plugins.ts'
import { type ApiRequest, defineResource, type ResourceType } from '#kernel'
import { runOperation } from '#kernel/operations'
import type { Plugin } from '#kernel/plugin'
import { LogicError } from '#program'
import type { TestApp } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'
import { declared } from '#test/template/specification/library-app.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { atomicMediaType, expectError } from '#test/template/specification/support.ts'
import { Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

const decorated =
  (defaultHandler: Handler): Handler =>
  async (operation) => {
    const response = await defaultHandler(operation)
    return { ...response, meta: { ...response.meta, handled: operation.kind } } as typeof response
  }

const replaced =
  (): Handler =>
  async ({ kind, target }) => ({
    kind: 'meta',
    status: 200,
    meta: { kind, type: target.type.name, id: target.id ?? null },
  })

/** Plugin routes that run operations with a target of their own. */
const detours: Plugin = {
  name: 'detours',
  routes: (server) => [
    {
      name: 'lost',
      methods: ['GET', 'PUT', 'POST'],
      path: '/lost',
      jsonapi: {},
      handle: (_ctx, request) => runOperation((request as ApiRequest).app, request as ApiRequest),
    },
    {
      name: 'first',
      methods: ['GET', 'PUT'],
      path: '/first-shelf',
      jsonapi: {},
      handle: (_ctx, request) => {
        const { registry } = (request as ApiRequest).app
        const type = registry.types.get('shelves') as ResourceType
        const target = { kind: 'resource', server, type, id: '1' } as const
        return runOperation((request as ApiRequest).app, { ...(request as ApiRequest), target })
      },
    },
  ],
}

/** A route with a parameter. */
const covers: Plugin = {
  name: 'covers',
  routes: () => [
    {
      name: 'cover',
      methods: ['GET'],
      path: '/shelves/:id/covers/:size',
      jsonapi: {},
      handle: (ctx) => ({ kind: 'meta', status: 200, meta: { ...ctx.params } }),
    },
  ],
}

const servers = {
  default: {},
  empty: { prefix: '/empty' },
  decorated: { prefix: '/decorated', handler: decorated },
  replaced: { prefix: '/replaced', handler: replaced },
  silent: { prefix: '/silent', handler: null },
}

describe('The handler of a server', () => {
  let library: TestApp
  let client: Client

  before(async () => {
    await fillLibrary()
    library = await startLibrary({
      servers,
      resources: resources(),
      plugins: [...plugins, detours, covers],
      undescribed: ['replaced'],
    })
    client = library.client
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  it('can wrap the default handler', async () => {
    const { body } = await client.get('/decorated/shelves/1')
    expect(body.data.attributes.name).to.equal('Fiction')
    expect(body.meta).to.deep.equal({ handled: 'FetchOne' })
    expect((await client.get('/shelves/1')).body).not.to.have.property('meta')
  })

  it('can replace the default handler', async () => {
    expect((await client.get('/replaced/shelves/4711')).body.meta).to.deep.equal({
      kind: 'FetchOne',
      type: 'shelves',
      id: '4711',
    })
    const data = { type: 'shelves', attributes: { name: 'Never saved' } }
    expect((await client.post('/replaced/shelves', { data })).body.meta.kind).to.equal('Create')
    expect((await client.get('/shelves')).body.data).to.have.length(2)
  })

  it('does not run for plugin routes, which may have parameters', async () => {
    const { status, body } = await client.get('/replaced/shelves/1/covers/large%20one')
    expect(status).to.equal(200)
    expect(body.meta).to.deep.equal({ id: '1', size: 'large one' })
    expect(body.links.self).to.match(/\/replaced\/shelves\/1\/covers\/large%20one$/)
    expect((await client.get('/replaced/shelves/1/covers/large/one')).status).to.equal(404)
  })

  it('runs the operations of batches and of app.dispatch', async () => {
    const headers = { accept: atomicMediaType, 'content-type': atomicMediaType }
    const operations = [{ op: 'add', data: { type: 'shelves', attributes: { name: 'Never saved' } } }]
    const { status } = await client.post('/replaced/operations', { 'atomic:operations': operations }, headers)
    expect(status).to.equal(200)
    const instruction = { kind: 'FetchOne', server: 'replaced', type: 'shelves', id: '1' } as const
    expect(await library.app.dispatch(instruction)).to.include({ kind: 'meta', status: 200 })
    expect((await client.get('/shelves')).body.data).to.have.length(2)
  })

  it('can be null: requests get 500, and app.dispatch throws a LogicError', async () => {
    expectError(await client.get('/silent/shelves'), 500, 'APPLICATION_ERROR')
    const instruction = { kind: 'FetchCollection', server: 'silent', type: 'shelves' } as const
    const error = await library.app.dispatch(instruction).catch((thrown) => thrown)
    expect(error).to.be.instanceOf(LogicError)
    expect(error.message).to.equal("The server 'silent' has no handler, therefore accepts no instructions.")
  })

  it('runs the operation of a plugin route that sets a target', async () => {
    const { body } = await client.get('/first-shelf?fields[shelves]=name')
    expect(body.data).to.deep.include({ type: 'shelves', id: '1', attributes: { name: 'Fiction' } })
  })

  it('returns 500 as an error document when a plugin route has no target or no suitable method', async () => {
    expectError(await client.get('/lost'), 500, 'APPLICATION_ERROR')
    expectError(await client.post('/lost', { data: null }), 500, 'APPLICATION_ERROR')
    expectError(await client.send('PUT', '/first-shelf'), 500, 'APPLICATION_ERROR')
  })

  it('returns 500 as an error document when the server does not offer the type', async () => {
    expectError(await client.get('/empty/first-shelf'), 500, 'NO_RESOURCE_REGISTERED')
  })
})

function resources() {
  return declared(
    defineResource(Shelf, {
      type: 'shelves',
      server: ['default', 'decorated', 'replaced', 'silent'],
      fields: ({ id, string }) => [id(), string('name')],
    }),
  )
}
