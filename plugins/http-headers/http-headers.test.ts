import { expect } from 'chai'
import type Koa from 'koa'
import { plugins } from '#app/plugins.ts'
import { defineResource, type ResourceDeclaration } from '#kernel'
import { addSteps, BootError, markVariesByPrincipal, type Plugin, type Route, requireRole } from '#kernel/plugin'
import { buildApp, type TestApp } from '#test/support/app.ts'
import { as } from '#test/support/principals.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { withDependents } from '#test/template/support/plugins.ts'
import { type HttpHeadersOptions, httpHeaders } from './index.ts'

const sunset = 'Sat, 31 Dec 2050 23:59:59 GMT'
const guide = 'https://music.example/deprecations'

describe('The plugin http-headers', () => {
  let library: TestApp
  afterEach(() => library?.close())
  after(emptyLibrary)

  const start = async (declaration: Partial<ResourceDeclaration<Shelf>>, defaults?: HttpHeadersOptions) => {
    library = await startLibrary({
      resources: declare(declaration),
      plugins: defaults ? withDefaults(defaults) : plugins,
    })
    await emptyLibrary()
    const { orm } = await libraryDatabase()
    await orm.em.getConnection().execute(`insert into shelves (id, name) values (1, 'Fiction')`)
    await orm.em.getConnection().execute(`select setval(pg_get_serial_sequence('shelves', 'id'), 100)`)
  }
  const header = async (name: string, path: string) => (await library.client.get(path)).headers.get(name)

  describe('Cache-Control and Vary', () => {
    it('sets Cache-Control of reads; directives of a kind of read override directives of the type', async () => {
      await start({
        cacheHeaders: {
          max_age: 3600,
          s_maxage: 86400,
          public: true,
          operations: { collection: { max_age: 300 }, relationship: { public: false, private: true, no_cache: true } },
        },
      })
      expect(await header('cache-control', '/shelves')).to.equal('public, max-age=300, s-maxage=86400')
      expect(await header('cache-control', '/shelves/1')).to.equal('public, max-age=3600, s-maxage=86400')
      expect(await header('cache-control', '/shelves/1/books')).to.equal('public, max-age=3600, s-maxage=86400')
      expect(await header('cache-control', '/shelves/1/relationships/books')).to.equal(
        'private, no-cache, max-age=3600, s-maxage=86400',
      )
    })

    it('adds fields to Vary and keeps existing fields', async () => {
      await start({ cacheHeaders: { vary: ['Accept', 'Accept-Language'], must_revalidate: true } })
      const { headers } = await library.client.get('/shelves')
      expect(headers.get('vary')).to.equal('Accept-Encoding, Accept, Accept-Language, Authorization')
      expect(headers.get('cache-control')).to.equal('must-revalidate')
    })

    it('adds to the Vary fields of authentication and other plugins', async () => {
      const spoken: Plugin = {
        name: 'spoken',
        plan: addSteps({
          afterOperation: async (_operation, response) => ({
            ...response,
            headers: { Vary: 'Accept-Language, Accept' },
          }),
        }),
      }
      library = await startLibrary({
        resources: declare({ cacheHeaders: { vary: 'X-Tenant', private: true } }),
        plugins: [...plugins, spoken],
      })
      const vary = (await header('vary', '/shelves'))?.split(', ')
      expect(vary).to.have.members(['Accept-Encoding', 'Accept', 'Accept-Language', 'X-Tenant', 'Authorization'])
    })

    it('sets no Cache-Control on writes, errors and other types', async () => {
      await start({ cacheHeaders: { max_age: 60 } })
      const { client } = library
      const responses = [
        await client.get('/shelves/99'),
        await client.get('/shelves?page=1&unknown=2'),
        await client.get('/books'),
        await client.send('OPTIONS', '/shelves'),
        await client.post('/shelves', { data: { type: 'shelves', attributes: { name: 'Poetry' } } }),
      ]
      for (const { headers, status } of responses) expect(headers.get('cache-control'), `${status}`).to.equal(null)
    })

    it('sets the same headers for HEAD as for GET', async () => {
      await start({ cacheHeaders: { max_age: 60 } })
      const { headers } = await library.client.send('HEAD', '/shelves')
      expect(headers.get('cache-control')).to.equal('max-age=60')
    })

    it('does not change a header that is set already', async () => {
      const early: Plugin = {
        name: 'early',
        plan: addSteps({ respond: ({ ctx }) => ctx.set({ 'Cache-Control': 'no-store', Deprecation: '@1' }) }),
      }
      library = await startLibrary({
        resources: declare({ cacheHeaders: { max_age: 60 }, deprecation: true }),
        plugins: [early, ...plugins],
      })
      expect(await header('cache-control', '/shelves')).to.equal('no-store')
      expect(await header('deprecation', '/shelves')).to.equal('@1')
    })

    describe('on a server that requires a role', () => {
      const orders: readonly (readonly [name: string, list: readonly Plugin[]])[] = [
        ['in the order of the project', plugins],
        ['with http-headers first', moveToFront('http-headers')],
        ['with bearer-auth first', moveToFront('bearer-auth')],
      ]
      for (const [order, list] of orders) {
        it(`replaces public by private and varies by Authorization, ${order}`, async () => {
          library = await startLibrary({
            resources: declare({ cacheHeaders: { public: true, max_age: 60, s_maxage: 600 } }),
            plugins: list,
            servers: { default: { middleware: [requireRole('admin')] } },
          })
          for (const method of ['GET', 'HEAD']) {
            const { status, headers } = await library.client.send(method, '/shelves', { headers: as('admin') })
            expect(status).to.equal(200)
            expect(headers.get('cache-control'), method).to.equal('private, max-age=60')
            expect(headers.get('vary'), method).to.match(/\bAuthorization\b/)
          }
        })
      }

      it('varies by Authorization on errors and on routes that are not JSON:API', async () => {
        library = await startLibrary({
          resources: declare({ cacheHeaders: { public: true } }),
          plugins: [...plugins.filter(({ name }) => !withDependents('bearer-auth').includes(name)), publicRoutes],
          servers: { default: { middleware: [signIn, requireRole('admin')] } },
          undescribed: ['default'],
        })
        const { client } = library
        for (const [path, status, token] of [
          ['/shelves', 401, ''],
          ['/shelves', 403, 'reader'],
          ['/shelves/99', 404, 'admin'],
          ['/plain', 200, 'admin'],
          ['/plain', 401, ''],
          ['/unchanged', 304, 'admin'],
          ['/broken', 500, 'admin'],
          ['/docs.json', 200, 'admin'],
        ] as const) {
          const { status: actual, headers } = await client.get(path, { 'x-role': token })
          expect(actual, path).to.equal(status)
          expect(headers.get('vary'), `${path} ${status}`).to.match(/\bAuthorization\b/)
          expect(headers.get('cache-control') ?? '', `${path} ${status}`).not.to.match(/public|s-maxage/)
        }
      })

      it('replaces public by private when a plugin marks the response in a step', async () => {
        const late: Plugin = { name: 'late', plan: addSteps({ respond: ({ ctx }) => markVariesByPrincipal(ctx) }) }
        library = await startLibrary({
          resources: declare({ cacheHeaders: { public: true, must_revalidate: true } }),
          plugins: [...plugins, late],
        })
        expect(await header('cache-control', '/shelves')).to.equal('private, must-revalidate')
        expect(await header('vary', '/shelves')).to.match(/\bAuthorization\b/)
      })
    })

    it('falls back to the default of each directive', async () => {
      await start(
        { cacheHeaders: { max_age: 5 } },
        { cacheHeaders: { max_age: 60, public: true, operations: { collection: { s_maxage: 7 } } } },
      )
      expect(await header('cache-control', '/shelves')).to.equal('public, max-age=5, s-maxage=7')
      expect(await header('cache-control', '/books')).to.equal('public, max-age=60, s-maxage=7')
    })
  })

  describe('Deprecation, Sunset and Link', () => {
    it('sets the headers on every response of the type: reads, writes and errors', async () => {
      await start({ deprecation: true, sunset, sunsetLink: `${guide}/shelves` })
      const { client } = library
      const responses = [
        await client.get('/shelves'),
        await client.get('/shelves/99'),
        await client.send('PUT', '/shelves/1'),
        await client.send('OPTIONS', '/shelves'),
        await client.get('/shelves', { accept: 'text/html' }),
        await client.post('/shelves', '{'),
        await client.post('/shelves', '{}', { 'content-type': 'text/plain' }),
        await client.get('/shelves/1/unknown'),
        await client.get('/shelves', { authorization: 'Bearer garbage' }),
        await client.post('/shelves', { data: { type: 'shelves', attributes: { name: 'Poetry' } } }),
        await client.delete('/shelves/1'),
      ]
      expect(responses.map(({ status }) => status)).to.deep.equal([
        200, 404, 405, 204, 406, 400, 415, 404, 401, 201, 204,
      ])
      for (const { headers, status } of responses) {
        expect(headers.get('deprecation'), `${status}`).to.equal('true')
        expect(headers.get('sunset'), `${status}`).to.equal(sunset)
        expect(headers.get('link'), `${status}`).to.equal(`<${guide}/shelves>; rel="sunset"`)
      }
      expect(await header('deprecation', '/books')).to.equal(null)
    })

    it('sends a Date as a structured date in seconds on every response of the type', async () => {
      await start({ deprecation: new Date('2023-06-30T23:59:59.900Z') })
      for (const path of ['/shelves', '/shelves/99']) expect(await header('deprecation', path)).to.equal('@1688169599')
      const { paths } = JSON.parse((await library.client.get('/docs.json')).text)
      const { deprecated, responses } = paths['/shelves'].get
      expect(deprecated).to.equal(true)
      expect(responses[200].headers.Deprecation.schema.examples).to.deep.equal(['@1688169599'])
    })

    it('sends a text as it is, and Link only together with Sunset', async () => {
      await start({ deprecation: '@1688169599', sunsetLink: guide })
      expect(await header('deprecation', '/shelves')).to.equal('@1688169599')
      expect(await header('link', '/shelves')).to.equal(null)
    })

    it('adds Link to other links', async () => {
      const linking: Plugin = {
        name: 'linking',
        plan: addSteps({ respond: ({ ctx }) => ctx.set('Link', '<https://a.example>; rel="help"') }),
      }
      library = await startLibrary({
        resources: declare({ sunset, sunsetLink: guide }),
        plugins: [linking, ...plugins],
      })
      expect(await header('link', '/shelves')).to.equal(`<https://a.example>; rel="help", <${guide}>; rel="sunset"`)
    })

    it('falls back to defaults', async () => {
      await start({ sunsetLink: `${guide}/shelves` }, { deprecation: true, sunset, sunsetLink: guide })
      expect(await header('link', '/shelves')).to.equal(`<${guide}/shelves>; rel="sunset"`)
      expect(await header('link', '/books')).to.equal(`<${guide}>; rel="sunset"`)
      expect(await header('deprecation', '/books')).to.equal('true')
    })
  })

  it('sets no headers when it is disabled', async () => {
    const resources = declare({ cacheHeaders: { max_age: 60 }, deprecation: true })
    library = await startLibrary({ resources, disabled: ['http-headers'] })
    expect(await header('cache-control', '/shelves')).to.equal(null)
    expect(await header('deprecation', '/shelves')).to.equal(null)
  })

  it('rejects an invalid Date of deprecation at boot', async () => {
    const resources = declare({ deprecation: new Date('soon') })
    const error = await buildApp({ resources, database: await libraryDatabase() }).catch((thrown) => thrown)
    expect(error.message).to.equal('shelves.deprecation (shelves.ts): The Date is invalid.')
  })

  it('rejects invalid declarations at boot', async () => {
    const resources = declare({
      cacheHeaders: { max_age: -1, vary: 'a b', operations: { read: { s_maxage: 1.5 } } },
      deprecation: 'since\nlong',
      sunset: 'tomorrow',
      sunsetLink: 'here',
    })
    const error = await buildApp({ resources, database: await libraryDatabase() }).catch((thrown) => thrown)
    expect(error).to.be.instanceOf(BootError)
    expect(error.message.split('\n')).to.deep.equal([
      'shelves.cacheHeaders.max_age (shelves.ts): It is a whole number of seconds.',
      'shelves.cacheHeaders.vary (shelves.ts): It is the name of a header, or a list of names.',
      'shelves.cacheHeaders.operations.read.s_maxage (shelves.ts): It is a whole number of seconds.',
      'shelves.deprecation (shelves.ts): The text is sent as a header; use printable ASCII only.',
      "shelves.sunset (shelves.ts): 'tomorrow' is not an HTTP date such as Sat, 31 Dec 2050 23:59:59 GMT.",
      "shelves.sunsetLink (shelves.ts): 'here' is not a URL.",
    ])
  })
})

/** Middleware that takes the role from a header. */
const signIn: Koa.Middleware = (ctx, next) => {
  const role = ctx.get('x-role')
  if (role) ctx.state.principal = { identifier: role, roles: [role] }
  return next()
}

/** Routes that write their own responses with `Cache-Control: public`. */
const publicRoutes: Plugin = {
  name: 'public-routes',
  routes: () => [
    plainRoute('/plain', (ctx) => {
      ctx.body = 'text'
    }),
    plainRoute('/unchanged', (ctx) => {
      ctx.status = 304
    }),
    plainRoute('/broken', () => {
      throw new Error('broken')
    }),
  ],
}

function plainRoute(path: string, write: (ctx: Koa.Context) => void): Route {
  return {
    name: path.slice(1),
    methods: ['GET'],
    path,
    handle(ctx) {
      ctx.set('Cache-Control', 'public, s-maxage=60')
      write(ctx)
      return undefined
    },
  }
}

function moveToFront(name: string): readonly Plugin[] {
  return plugins.toSorted((one, other) => Number(other.name === name) - Number(one.name === name))
}

function withDefaults(defaults: HttpHeadersOptions): Plugin[] {
  return plugins.map((plugin) => (plugin.name === 'http-headers' ? httpHeaders(defaults) : plugin))
}

function declare(declaration: Partial<ResourceDeclaration<Shelf>>) {
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('books', 'books')],
    ...declaration,
  })
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, belongsToMany }) => [id(), string('title'), belongsToMany('tags', 'tags')],
  })
  const tags = defineResource(Tag, { type: 'tags', fields: ({ id }) => [id()] })
  return [shelves, books, tags].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))
}
