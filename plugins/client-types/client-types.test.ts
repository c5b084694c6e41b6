import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { declaredResources } from '#app/resources.ts'
import { discover } from '#discovery'
import { defineResource } from '#kernel'
import { requireRole } from '#kernel/plugin'
import { open } from '#plugins/authorization/index.ts'
import { root, type TestApp } from '#test/support/app.ts'
import { catalogue, startApp } from '#test/support/catalogue.ts'
import { openTestDatabase } from '#test/support/database.ts'
import { as } from '#test/support/principals.ts'
import { withDependents } from '#test/template/support/plugins.ts'
import { withoutNeeds } from '#test/template/support/without-needs.ts'

const path = '/client-types.d.ts'

describe('GET /client-types.d.ts', () => {
  let client: TestApp['client']
  before(async () => {
    client = (await catalogue()).client
  })

  it('returns the types of the server as text, with their hash as ETag', async () => {
    const { status, headers, text } = await client.get(path, { accept: '*/*' })
    expect(status).to.equal(200)
    expect(headers.get('content-type')).to.equal('text/plain; charset=utf-8')
    expect(headers.get('cache-control')).to.equal('no-cache')
    expect(text).to.match(/^export interface Api \{/)
    expect(text).to.include('  readonly albums: {').and.to.include('  readonly RESOURCE_NOT_FOUND: 404')
    expect(text).to.include('  readonly RELATIONSHIP_TYPE_INAPPROPRIATE: 400 | 403\n')
    expect(text).to.include(`export declare const types: '${headers.get('etag')?.slice(1, -1)}'`)
  })

  it('returns only the types of the server at its prefix', async () => {
    const admin = await client.get(`/admin${path}`)
    const served = await client.get(path)
    expect(admin.text).to.include('  readonly users: {')
    expect(served.text).not.to.match(/^ {2}readonly users: \{/m)
    expect(admin.headers.get('etag')).not.to.equal(served.headers.get('etag'))
  })

  it('returns 304 without a body when If-None-Match contains the ETag', async () => {
    const etag = (await client.get(path)).headers.get('etag') as string
    for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, headers, text } = await client.get(path, { 'if-none-match': header })
      expect([status, headers.get('etag'), text], header).to.deep.equal([304, etag, ''])
    }
    expect((await client.get(path, { 'if-none-match': '"other"' })).status).to.equal(200)
  })

  it('returns the headers without a body to HEAD', async () => {
    const { headers } = await client.get(path)
    const head = await client.send('HEAD', path)
    expect([head.status, head.text]).to.deep.equal([200, ''])
    for (const name of ['etag', 'content-type', 'content-length', 'cache-control']) {
      expect(head.headers.get(name), name).to.equal(headers.get(name))
    }
  })

  it('returns 405 to other methods', async () => {
    const { status, headers } = await client.send('POST', path, { body: {} })
    expect([status, headers.get('allow')]).to.deep.equal([405, 'GET, HEAD, OPTIONS'])
  })

  it('returns the same hash when the application is built again', async () => {
    const again = await startApp()
    const { headers } = await again.client.get(path)
    await again.close()
    expect(headers.get('etag')).to.equal((await client.get(path)).headers.get('etag'))
  })
})

describe('GET /client-types.d.ts of a server that requires a role', () => {
  let running: TestApp
  before(async () => {
    const servers = { default: {}, admin: { prefix: '/admin', middleware: [requireRole('admin')] } }
    running = await startApp({ servers })
  })
  after(() => running.close())

  for (const method of ['GET', 'HEAD']) {
    it(`returns 401 or 403 without types and ETag to ${method} of other principals, and 200 to the role`, async () => {
      const { client } = running
      const shown = await client.send(method, `/admin${path}`, { headers: as('admin') })
      const etag = shown.headers.get('etag') as string
      const open = await (await catalogue()).client.send(method, `/admin${path}`)
      expect([shown.status, etag]).to.deep.equal([200, open.headers.get('etag')])
      expect(shown.headers.get('vary')).to.match(/\bAuthorization\b/)
      for (const headers of [{}, { 'if-none-match': etag }, { 'if-none-match': '*' }]) {
        for (const [status, principal] of [
          [401, {}],
          [403, as('ada@example.com')],
        ] as const) {
          const refused = await client.send(method, `/admin${path}`, { headers: { ...headers, ...principal } })
          expect([refused.status, refused.headers.get('etag')]).to.deep.equal([status, null])
          expect(refused.text).not.to.match(/interface|users/)
        }
      }
    })
  }

  it('returns the types of a server without the role to all principals', async () => {
    const { status, text } = await running.client.get(path)
    expect(status).to.equal(200)
    expect(text).not.to.match(/^ {2}readonly users: \{/m)
  })
})

describe('GET /client-types.d.ts without conditional-requests', () => {
  it('returns types whose rows may have no $etag', async () => {
    const { client } = await catalogue()
    expect((await client.get(path)).text).to.match(/^ {2}readonly albums: \{[\s\S]+?^ {4}readonly etags: true$/m)
    const disabled = withDependents('conditional-requests')
    const resources = withoutNeeds(await declaredResources(await discover(root)), disabled)
    const running = await startApp({ disabled, resources })
    const { text } = await running.client.get(path)
    await running.close()
    expect(text).to.include('    readonly etags: false').and.not.to.include('    readonly etags: true')
  })
})

describe('The plugin client-types when it is disabled', () => {
  it('serves no types, and leaves nothing in the OpenAPI document and the home page', async () => {
    const running = await startApp({ disabled: ['client-types'] })
    for (const prefix of ['', '/admin']) {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await running.client.send(method, prefix + path)
        expect([status, headers.get('etag')]).to.deep.equal([404, null])
      }
    }
    for (const page of ['/docs.json', '/admin/docs.json', '/']) {
      expect((await running.client.get(page)).text, page).not.to.include('client-types')
    }
    await running.close()
  })
})

describe('GET /client-types.d.ts of a type with filters of enum columns', () => {
  const schema = defineEntity({
    name: 'Lamp',
    tableName: 'lamps',
    properties: {
      id: p.integer().primary().autoincrement(),
      colour: p.enum(['red', 'green']).default('red'),
      shade: p.enum(['dark', 'light']).nullable(),
    },
  })
  class Lamp extends schema.class {}
  schema.setClass(Lamp)
  const resource = defineResource(Lamp, {
    type: 'lamps',
    fields: ({ id, string }) => [id(), string('colour')],
    filters: ({ where, whereIn }) => [where('colour'), whereIn('shades', 'shade')],
    policy: open,
  })

  it('has their values', async () => {
    const database = await openTestDatabase({ entities: [Lamp], migrations: [] })
    const { client, close } = await startApp({ database, resources: [{ file: 'lamps.ts', resource }] })
    const { text } = await client.get(path, { accept: '*/*' })
    await close()
    await database.close()
    expect(text).to.include(`readonly colour?: "green" | "red"`)
    expect(text).to.include(`readonly shades?: "dark" | "light" | readonly ("dark" | "light")[]`)
  })
})
