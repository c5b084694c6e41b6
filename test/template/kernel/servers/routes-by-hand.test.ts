import type { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import { expect } from 'chai'
import Koa from 'koa'
import { defineResource } from '#kernel'
import type { App } from '#kernel/plugin'
import { buildApp } from '#test/support/app.ts'
import { expectFailure, readResults, sendBatch } from '#test/support/batch.ts'
import { type Client, createClient } from '#test/support/client.ts'
import { declared } from '#test/template/specification/library-app.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { atomicMediaType, expectError, expectPlain404 } from '#test/template/specification/support.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase } from '#test/template/support/library/index.ts'

const servers = {
  default: { mountManually: true },
  staff: { prefix: '/staff', mountManually: true },
  open: { prefix: '/open' },
}

describe('Routes of a mountManually server', () => {
  let app: App
  let server: HttpServer
  let client: Client

  before(async () => {
    await fillLibrary()
    app = await buildApp({ servers, resources: resources(), database: await libraryDatabase() })
    placeGroup(app)
    server = await app.listen(0, '127.0.0.1')
    client = connectClient(server)
  })
  after(async () => {
    await close(server)
    await app.close()
    await emptyLibrary()
  })

  it('are served only below the router that mounts them', async () => {
    expectPlain404(await client.get('/shelves'))
    expectPlain404(await client.get('/staff/shelves'))
    expect((await client.get('/open/shelves')).status).to.equal(200)
    expect((await client.get('/tenants/acme/shelves')).status).to.equal(200)
  })

  it('run after the middleware of the router that mounts them', async () => {
    expect((await client.get('/tenants/acme/shelves/1')).headers.get('x-tenant')).to.equal('acme')
    expect((await client.get('/tenants/acme/shelves/99')).headers.get('x-tenant')).to.equal('acme')
    expect((await client.get('/open/shelves/1')).headers.get('x-tenant')).to.equal(null)
  })

  it('return links that contain the prefix of the router', async () => {
    const base = `${client.url}/tenants/acme`
    const { body, text } = await client.get('/tenants/acme/books?page[size]=1&include=shelf')
    expect(body.data[0].links.self).to.equal(`${base}/books/1`)
    expect(body.data[0].relationships.shelf.links.self).to.equal(`${base}/books/1/relationships/shelf`)
    expect(body.links.next).to.match(new RegExp(`^${base}/books\\?`))
    for (const link of [body.links.next, describedby(text), body.data[0].relationships.shelf.links.related]) {
      expect((await client.get(link)).status, link).to.equal(200)
    }
    const linkage = await client.get('/tenants/acme/books/1/relationships/shelf')
    expect(linkage.body.links).to.deep.equal({
      self: `${base}/books/1/relationships/shelf`,
      related: `${base}/books/1/shelf`,
    })
    const made = await client.post('/tenants/acme/shelves', { data: { type: 'shelves', attributes: { name: 'New' } } })
    expect(made.headers.get('location')).to.equal(`${base}/shelves/${made.body.data.id}`)
  })

  it('of several servers keep their prefixes below the prefix of the router', async () => {
    const { body, text } = await client.get('/tenants/acme/staff/shelves/1')
    expect(body.links.self).to.equal(`${client.url}/tenants/acme/staff/shelves/1`)
    expect((await client.get(describedby(text))).status).to.equal(200)
    expectPlain404(await client.get('/tenants/acme/staff/books'))
  })

  it('include the routes of plugins', async () => {
    const operations = [{ op: 'add', data: { type: 'shelves', attributes: { name: 'Batch' } } }]
    const headers = { accept: atomicMediaType, 'content-type': atomicMediaType }
    const { status, body } = await client.post('/tenants/acme/operations', { 'atomic:operations': operations }, headers)
    expect(status).to.equal(200)
    expect(body.links.self).to.equal(`${client.url}/tenants/acme/operations`)
  })

  it('return 404 for a trailing slash or another case, also if the router would accept them', async () => {
    expectPlain404(await client.get('/tenants/acme/shelves/'))
    expectPlain404(await client.get('/tenants/acme/Shelves'))
  })

  it('return error documents inside another Koa application', async () => {
    const koa = new Koa({ proxy: false })
    const group = new Router({ prefix: '/api' })
    group.use(app.routes())
    koa.use(group.routes())
    const host = await new Promise<HttpServer>((resolve) => {
      const listening = koa.listen(0, '127.0.0.1', () => resolve(listening))
    })
    const otherClient = connectClient(host)
    expectError(await otherClient.get('/api/shelves/99'), 404, 'RESOURCE_NOT_FOUND')
    expect((await otherClient.get('/api/shelves/1')).body.links.self).to.equal(`${otherClient.url}/api/shelves/1`)
    expect((await otherClient.send('PUT', '/api/shelves/1')).headers.get('allow')).to.contain('PATCH')
    await close(host)
  })

  it('are matched by the href of a batch operation', async () => {
    const rename = (href: string) => ({ op: 'update', href, data: { type: 'shelves', attributes: { name: href } } })
    for (const href of ['/tenants/north/shelves/1', 'shelves/1', `${client.url}/tenants/north/shelves/1`]) {
      const answer = await sendBatch(client, [rename(href)], '/tenants/north/operations')
      expect(readResults(answer)[0]?.links).to.deep.equal({ self: `${client.url}/tenants/north/shelves/1` })
    }
    for (const href of ['/shelves/1', '/tenants/south/shelves/1', '/open/shelves/1']) {
      const answer = await sendBatch(client, [rename(href)], '/tenants/north/operations')
      expectFailure(answer, 400, 'ATOMIC_HREF_UNRESOLVABLE', '/atomic:operations/0/href')
    }
  })

  it('are not available for a server that does not exist or is registered already', () => {
    expect(() => app.routes('missing')).to.throw("There is no server 'missing'.")
    expect(() => app.routes('open')).to.throw(
      "The routes of the server 'open' are registered already; set mountManually to mount them.",
    )
  })
})

function placeGroup(app: App): void {
  const group = new Router({ prefix: '/tenants/:tenant' })
  group.use(async (ctx, next) => {
    ctx.set('X-Tenant', ctx.params.tenant as string)
    await next()
  })
  group.use(app.routes())
  group.use(app.routes('staff'))
  app.koa.use(group.routes())
}

function resources() {
  return declared(
    defineResource(Shelf, {
      type: 'shelves',
      server: ['default', 'staff', 'open'],
      fields: ({ id, string }) => [id(), string('name')],
    }),
    defineResource(Book, {
      type: 'books',
      server: ['default', 'open'],
      fields: ({ id, string, belongsTo }) => [id(), string('title'), belongsTo('shelf', 'shelves')],
    }),
  )
}

/** The client removes this link from the documents of tests. */
function describedby(text: string): string {
  return JSON.parse(text).links.describedby
}

function connectClient(server: HttpServer): Client {
  return createClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => {})
}

async function close(server: HttpServer): Promise<void> {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
}
