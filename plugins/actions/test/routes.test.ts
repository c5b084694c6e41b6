import { expect } from 'chai'
import { data, meta, noContent } from '#plugins/actions/index.ts'
import { namedRoutes } from '#routes'
import { buildApp, type TestApp } from '#test/support/app.ts'
import { emptyLibrary, libraryDatabase } from '#test/template/support/library/index.ts'
import { type ShelfOverrides, shelvesWith, startShelves } from '#test/template/support/library/shelves.ts'

const overrides: ShelfOverrides = {
  server: ['default', 'admin'],
  actions: ({ action }) => [
    action('dust', { answers: 'noContent', handle: () => noContent() }),
    action('count', { on: 'collection', method: 'GET', answers: 'meta', handle: () => meta({ shelves: 2 }) }),
    action('burn', { method: 'DELETE', server: 'admin', answers: 'noContent', handle: () => noContent() }),
    action('show', { answers: 'data', handle: ({ subject }) => data(subject) }),
  ],
}

describe('Actions: routes', () => {
  let library: TestApp
  before(async () => {
    library = await startShelves(overrides)
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })
  const send = (method: string, path: string, headers = {}) => library.client.send(method, path, { headers })

  it('returns 404 ACTION_NOT_FOUND for an unknown action, by any method, with the names of the actions', async () => {
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      const { status, body } = await send(method, '/shelves/1/-actions/dus')
      expect(status).to.equal(404)
      expect(body.errors[0].code).to.equal('ACTION_NOT_FOUND')
      expect(body.errors[0].detail).to.equal(
        "'shelves' has no action 'dus' here. Actions: dust, show. Did you mean 'dust'?",
      )
    }
    const image = await send('POST', '/shelves/1/-actions/cover', { 'content-type': 'image/png' })
    expect(image.body.errors[0].code).to.equal('ACTION_NOT_FOUND')
    expect((await send('POST', '/books/1/-actions/dust')).body.errors[0].detail).to.contain('Actions: none.')
    expect((await send('POST', '/shelves/-actions/dust')).body.errors[0].detail).to.contain('Actions: count.')
  })

  it('returns a plain 404 for an unknown type', async () => {
    const { status, body } = await send('POST', '/nothing/1/-actions/dust')
    expect([status, body]).to.deep.equal([404, null])
  })

  it('returns 405 with Allow for another method, and Allow for OPTIONS', async () => {
    const get = await send('GET', '/shelves/1/-actions/dust')
    expect([get.status, get.headers.get('allow')]).to.deep.equal([405, 'POST, OPTIONS'])
    const post = await send('POST', '/shelves/-actions/count')
    expect([post.status, post.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD, OPTIONS'])
    const options = await send('OPTIONS', '/shelves/1/-actions/dust')
    expect([options.status, options.headers.get('allow')]).to.deep.equal([204, 'POST, OPTIONS'])
  })

  it('offers an action only on the servers that it names', async () => {
    expect((await send('DELETE', '/admin/shelves/1/-actions/burn')).status).to.equal(204)
    expect((await send('DELETE', '/shelves/1/-actions/burn')).status).to.equal(404)
    expect((await send('POST', '/admin/shelves/1/-actions/dust')).status).to.equal(204)
  })

  it('returns 406 when the client does not accept JSON:API', async () => {
    expect((await send('POST', '/shelves/1/-actions/dust', { accept: 'text/html' })).status).to.equal(406)
  })

  it('rejects query parameters that the response does not support', async () => {
    const codeOf = async (method: string, path: string) => (await send(method, path)).body.errors?.[0].code
    expect(await codeOf('POST', '/shelves/1/-actions/dust?include=books')).to.equal('INCLUSION_UNSUPPORTED')
    expect(await codeOf('POST', '/shelves/1/-actions/dust?nothing=1')).to.equal('QUERY_PARAM_UNRECOGNIZED')
    expect(await codeOf('GET', '/shelves/-actions/count?sort=name')).to.equal('SORTING_UNSUPPORTED')
    expect(await codeOf('GET', '/shelves/-actions/count?filter[name]=x')).to.equal('FILTERING_UNRECOGNIZED')
    expect(await codeOf('POST', '/shelves/1/-actions/show?include=nothing')).to.equal('INCLUSION_UNRECOGNIZED')
    expect((await send('POST', '/shelves/1/-actions/show?include=books')).body.included).to.have.length(1)
  })

  it('lists the routes of actions by name', () => {
    const routes = namedRoutes(library.app).filter(({ path }) => path.includes('-actions'))
    expect(routes.map(({ name, methods, path }) => [name, methods.join(), path])).to.deep.equal([
      ['jsonapi.shelves.actions.dust', 'POST', '/shelves/{id}/-actions/dust'],
      ['jsonapi.shelves.actions.count', 'GET,HEAD', '/shelves/-actions/count'],
      ['jsonapi.shelves.actions.show', 'POST', '/shelves/{id}/-actions/show'],
      ['jsonapi.admin.shelves.actions.dust', 'POST', '/admin/shelves/{id}/-actions/dust'],
      ['jsonapi.admin.shelves.actions.count', 'GET,HEAD', '/admin/shelves/-actions/count'],
      ['jsonapi.admin.shelves.actions.burn', 'DELETE', '/admin/shelves/{id}/-actions/burn'],
      ['jsonapi.admin.shelves.actions.show', 'POST', '/admin/shelves/{id}/-actions/show'],
    ])
  })

  it('returns 400 ATOMIC_HREF_UNRESOLVABLE for an action in a batch', async () => {
    const atomic = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'
    for (const href of ['/shelves/1/-actions/dust', '/shelves/-actions/count']) {
      const operation = { op: 'update', href, data: { type: 'shelves', id: '1' } }
      const { status, body } = await library.client.post(
        '/operations',
        { 'atomic:operations': [operation] },
        { accept: atomic, 'content-type': atomic },
      )
      expect([status, body.errors[0].code]).to.deep.equal([400, 'ATOMIC_HREF_UNRESOLVABLE'])
    }
  })

  describe('with the plugin disabled', () => {
    it('returns 404, shows no link and describes nothing', async () => {
      const off = await startShelves(overrides, { disabled: ['actions', 'soft-delete'] })
      expect((await off.client.send('POST', '/shelves/1/-actions/dust')).status).to.equal(404)
      expect((await off.client.get('/shelves/-actions/count')).status).to.equal(404)
      expect((await off.client.get('/shelves/1')).body.data.links).to.have.all.keys('self')
      const openapi = await (await fetch(`${off.client.url}/docs.json`)).text()
      expect(openapi).not.to.match(/-actions|action\.shelves|ACTION_NOT_FOUND/)
      expect(off.app.errors.map(({ code }) => code)).not.to.include('ACTION_NOT_FOUND')
      await off.close()
    })
  })

  it('returns a plain 404 when the id does not have the form of matchAs()', async () => {
    const app = await startShelves({
      fields: ({ id, string }) => [id().matchAs('[0-9]+'), string('name')],
      actions: ({ action }) => [action('dust', { answers: 'noContent', handle: () => noContent() })],
    })
    expect((await app.client.send('POST', '/shelves/1/-actions/dust')).status).to.equal(204)
    for (const name of ['dust', 'nothing']) {
      const { status, body } = await app.client.send('POST', `/shelves/x/-actions/${name}`)
      expect([status, body]).to.deep.equal([404, null])
    }
    await app.close()
  })
})

describe('Actions: faults of declarations', () => {
  const done = () => noContent()
  const cases: readonly (readonly [string, ShelfOverrides, string])[] = [
    [
      'a name with a slash',
      { actions: ({ action }) => [action('a/b', { answers: 'noContent', handle: done })] },
      "'a/b' is not a name for an action",
    ],
    [
      'two actions with one name',
      {
        actions: ({ action }) => [
          action('a', { answers: 'noContent', handle: done }),
          action('a', { on: 'collection', answers: 'noContent', handle: done }),
        ],
      },
      'another action with this name',
    ],
    [
      'a document without inputType',
      { actions: ({ action }) => [action('a', { input: 'document', answers: 'noContent', handle: done })] },
      'A document needs inputType',
    ],
    [
      'an unknown inputType',
      {
        actions: ({ action }) => [
          action('a', { input: 'document', inputType: 'x', answers: 'noContent', handle: done }),
        ],
      },
      "There is no resource type 'x'.",
    ],
    [
      'inputType without a document',
      { actions: ({ action }) => [action('a', { inputType: 'renames', answers: 'noContent', handle: done })] },
      "inputType is for input: 'document'.",
    ],
    [
      'raw input without media types',
      { actions: ({ action }) => [action('a', { input: 'raw', answers: 'noContent', handle: done })] },
      'Raw input needs accepts',
    ],
    [
      'a limit of 0 bytes',
      {
        actions: ({ action }) => [
          action('a', { input: 'raw', accepts: ['image/png'], maxBytes: 0, answers: 'noContent', handle: done }),
        ],
      },
      'maxBytes is a whole number above 0.',
    ],
    [
      'input with GET',
      {
        actions: ({ action }) => [
          action('a', { method: 'GET', input: 'raw', accepts: ['a/b'], answers: 'noContent', handle: done }),
        ],
      },
      'An action with input has the method POST, not GET.',
    ],
    [
      'another method',
      { actions: ({ action }) => [action('a', { method: 'PUT' as 'POST', answers: 'noContent', handle: done })] },
      "The method is POST, GET or DELETE, not 'PUT'.",
    ],
    [
      'no answers',
      { actions: ({ action }) => [action('a', { answers: [], handle: done as never })] },
      'It has no answers',
    ],
    [
      'an unknown answer',
      { actions: ({ action }) => [action('a', { answers: 'text' as 'meta', handle: done as never })] },
      "'text' is not an answer.",
    ],
    [
      'data of an unknown type',
      { actions: ({ action }) => [action('a', { answers: { data: 'x' }, handle: done as never })] },
      "There is no resource type 'x'.",
    ],
    [
      'a job with GET',
      {
        actions: ({ action }) => [
          action('a', { method: 'GET', answers: { accepted: 'books' }, handle: done as never }),
        ],
      },
      'An action with GET enqueues no job.',
    ],
    [
      'a secret with GET',
      {
        actions: ({ action }) => [
          action('a', { method: 'GET', answers: 'meta', showsSecret: true, handle: done as never }),
        ],
      },
      'showsSecret is for actions that write; a response to GET can be requested again.',
    ],
    [
      'data of a type that the server does not offer',
      {
        server: ['default', 'admin'],
        actions: ({ action }) => [action('a', { answers: { data: 'books' }, handle: done as never })],
      },
      "It answers 'books', which the server 'admin' does not offer.",
    ],
    [
      'a server without the type',
      { actions: ({ action }) => [action('a', { server: 'admin', answers: 'noContent', handle: done })] },
      "The server 'admin' does not offer the type 'shelves'.",
    ],
    [
      'a link of a collection',
      {
        actions: ({ action }) => [action('a', { on: 'collection', asLink: true, answers: 'noContent', handle: done })],
      },
      'asLink is for actions of resources',
    ],
    [
      'a link called self',
      { actions: ({ action }) => [action('self', { asLink: true, answers: 'noContent', handle: done })] },
      "A link cannot be called 'self'",
    ],
    [
      'no handler',
      { actions: ({ action }) => [action('a', { answers: 'noContent' } as never)] },
      'It has no function handle().',
    ],
    ['a list instead of a function', { actions: [] as never }, 'It is a function: ({ action }) =>'],
  ]
  for (const [title, declared, message] of cases) {
    it(`refuses to start with ${title}`, async () => {
      const built = await buildApp({ resources: shelvesWith(declared), database: await libraryDatabase() }).catch(
        (e) => e,
      )
      expect(String(built.message)).to.contain(message)
      expect(String(built.message)).to.match(/^shelves\.actions.* \(shelves\.ts\): /)
    })
  }

  it('refuses to start when the policy has no method for the ability', async () => {
    const { Policy } = await import('#plugins/authorization/index.ts')
    class ShelfPolicy extends Policy {
      static override readonly needs = { view: [] }
      override viewAny = () => true
      override view = () => true
    }
    const declared: ShelfOverrides = {
      policy: ShelfPolicy,
      readOnly: true,
      actions: ({ action }) => [action('dust', { answers: 'noContent', handle: done })],
    }
    const built = await buildApp({ resources: shelvesWith(declared), database: await libraryDatabase() }).catch(
      (e) => e,
    )
    expect(built.message).to.equal(
      "shelves.actions (shelves.ts): ShelfPolicy has no method 'dust' for the action 'dust'.",
    )
  })

  it('refuses to start when an action enqueues jobs and async-writes is disabled', async () => {
    const declared: ShelfOverrides = {
      actions: ({ action }) => [action('move', { answers: { accepted: 'books' }, handle: done as never })],
    }
    const options = { resources: shelvesWith(declared), database: await libraryDatabase(), disabled: ['async-writes'] }
    const built = await buildApp(options).catch((e) => e)
    expect(built.message).to.contain("{ accepted } needs the plugin 'async-writes', which is off.")
  })

  it('refuses to start when the input type has rules and validation is disabled', async () => {
    const declared: ShelfOverrides = {
      readOnly: true,
      actions: ({ action }) => [
        action('rename', { input: 'document', inputType: 'renames', answers: 'noContent', handle: done }),
      ],
    }
    const options = { database: await libraryDatabase(), disabled: ['validation'] }
    const built = await buildApp({ ...options, resources: shelvesWith(declared) }).catch((e) => e)
    expect(built.message).to.contain(
      "renames.name (renames.ts): needs the plugin 'validation', which is off; without it required(), maxLength() would be ignored.",
    )
    const unused = await buildApp({ ...options, resources: shelvesWith({ readOnly: true }) }).catch((e) => e)
    expect(unused).not.to.be.instanceOf(Error)
    await unused.close()
  })
})
