import { expect } from 'chai'
import createError from 'http-errors'
import { ApiErrors } from '#app/kernel/errors/errors.ts'
import { plugins } from '#app/plugins.ts'
import { defineError, defineResource } from '#kernel'
import { resourceNotFound } from '#kernel/errors'
import { type App, addSteps, type Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { sendBatch } from '#test/support/batch.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { startLibrary } from '#test/template/support/library/index.ts'
import type { Exceptions } from '../exceptions.ts'
import { de, type ErrorMapper, type ErrorMappingOptions, type ErrorMessages, errorMapping } from '../index.ts'

describe('error-mapping', () => {
  let failure: unknown
  const failing: Plugin = {
    name: 'failing',
    plan: addSteps({
      begin() {
        if (failure !== undefined) throw failure
      },
    }),
  }
  const logged: Parameters<NonNullable<App['logger']>['error']>[] = []
  const logger = {
    error: (...entry: [object, string]) => void logged.push(entry),
    info: () => {},
    warn: () => {},
  }
  const started: TestApp[] = []
  const start = async (options: {
    debug?: boolean
    logger?: App['logger']
    disabled?: string[]
    mapping?: ErrorMappingOptions
  }) => {
    const others = plugins.filter(({ name }) => name !== 'error-mapping')
    const app = await startLibrary({
      plugins: [errorMapping(options.mapping), ...others, failing],
      disabled: options.disabled ?? [],
      config: { debug: options.debug ?? false },
      logger: options.logger ?? null,
      undescribed: ['default', 'admin'],
    })
    started.push(app)
    return app.client
  }
  const errorsOf = async (client: TestApp['client'], thrown: unknown) => {
    failure = thrown
    return client.get('/books')
  }

  afterEach(async () => {
    failure = undefined
    logged.length = 0
    for (const app of started.splice(0)) await app.close()
  })

  const titles: readonly [status: number, title: string][] = [
    [400, 'Bad Request'],
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
    [404, 'Not Found'],
    [405, 'Method Not Allowed'],
    [406, 'Not Acceptable'],
    [409, 'Conflict'],
    [413, 'Error'],
    [415, 'Unsupported Media Type'],
    [418, 'Error'],
    [422, 'Unprocessable Entity'],
    [429, 'Error'],
    [500, 'Server Error'],
    [502, 'Server Error'],
    [503, 'Server Error'],
  ]

  it('returns status and title of an HTTP error, an empty detail and no code, outside debug mode', async () => {
    const client = await start({})
    for (const [status, title] of titles) {
      const { status: answered, body } = await errorsOf(client, createError(status, 'Not for clients.'))
      expect(answered).to.equal(status)
      expect(body.errors).to.deep.equal([{ status: String(status), title, detail: '' }])
    }
  })

  it('returns the message of an HTTP error as detail in debug mode', async () => {
    const client = await start({ debug: true })
    const { body } = await errorsOf(client, createError(409, 'The shop is closed.'))
    expect(body.errors).to.deep.equal([{ status: '409', title: 'Conflict', detail: 'The shop is closed.' }])
  })

  it('returns the headers and the source of an HTTP error', async () => {
    const client = await start({})
    const thrown = createError(503, 'Later.', { headers: { 'Retry-After': '7' }, source: { header: 'Accept' } })
    const { headers, body } = await errorsOf(client, thrown)
    expect(headers.get('retry-after')).to.equal('7')
    expect(body.errors[0].source).to.deep.equal({ header: 'Accept' })
  })

  it('returns the declared status of an exception class, and the message in debug mode only', async () => {
    const exceptions = [[KettleError, 409]] as const
    const production = await start({ mapping: { exceptions }, logger })
    const { status, body } = await errorsOf(production, new KettleError('It boiled over.'))
    expect(status).to.equal(409)
    expect(body.errors).to.deep.equal([{ status: '409', title: 'Conflict', detail: '' }])
    expect(logged).to.be.empty
    const debugging = await start({ mapping: { exceptions }, debug: true })
    const detailed = await errorsOf(debugging, new KettleError('It boiled over.'))
    expect(detailed.body.errors).to.deep.equal([{ status: '409', title: 'Conflict', detail: 'It boiled over.' }])
  })

  it('returns the status of the most derived class, in any order of the list', async () => {
    for (const exceptions of [
      [
        [KettleError, 409],
        [Error, 400],
      ],
      [
        [Error, 400],
        [KettleError, 409],
      ],
    ] as const) {
      const client = await start({ mapping: { exceptions } })
      expect((await errorsOf(client, new SamovarError())).status).to.equal(409)
      expect((await errorsOf(client, new TypeError())).status).to.equal(400)
      expect((await errorsOf(client, 'text')).status).to.equal(500)
    }
  })

  describe('with exceptions of a type', () => {
    const declared = (exceptions: Exceptions = []) => {
      const shelves = defineResource(Shelf, {
        type: 'shelves',
        fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('books', 'books')],
        beforeCreate: throwKettleError,
        exceptions: [[KettleError, 422]],
      })
      const books = defineResource(Book, {
        type: 'books',
        fields: ({ id, string }) => [id(), string('title')],
        beforeCreate: throwKettleError,
        ...(exceptions.length > 0 && { exceptions }),
      })
      return [shelves, books].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))
    }
    const throwKettleError = () => {
      throw new SmallKettleError()
    }
    const startDeclared = async (mapping: ErrorMappingOptions = {}, exceptions: Exceptions = []) => {
      const others = plugins.filter(({ name }) => name !== 'error-mapping')
      const library = await startLibrary({
        plugins: [errorMapping(mapping), ...others, failing],
        resources: declared(exceptions),
        undescribed: ['default', 'admin'],
      })
      started.push(library)
      return library.client
    }

    it('returns the declared status on all URLs of the type', async () => {
      const client = await startDeclared()
      failure = new KettleError()
      for (const path of ['/shelves', '/shelves/1', '/shelves/1/books', '/shelves/1/relationships/books']) {
        expect((await client.get(path)).status, path).to.equal(422)
      }
    })

    it('returns 500 for the same error in requests of another type', async () => {
      const client = await startDeclared()
      failure = new KettleError()
      expect((await client.get('/books')).status).to.equal(500)
      failure = undefined
      const post = (type: string) => client.post(`/${type}`, { data: { type, attributes: {} } })
      expect((await post('shelves')).status).to.equal(422)
      expect((await post('books')).status).to.equal(500)
    })

    it('returns the status of the type rather than that of the application', async () => {
      const client = await startDeclared({ exceptions: [[KettleError, 409]] })
      failure = new KettleError()
      expect((await client.get('/books')).status).to.equal(409)
      expect((await client.get('/shelves')).status).to.equal(422)
    })

    it('returns another status for the same class in each type', async () => {
      const client = await startDeclared({}, [[KettleError, 418]])
      failure = new KettleError()
      expect((await client.get('/books')).status).to.equal(418)
      expect((await client.get('/shelves')).status).to.equal(422)
    })

    it('returns the status of the type of the failing operation in a batch', async () => {
      const client = await startDeclared()
      const add = (type: string) => ({ op: 'add', data: { type, attributes: {} } })
      const ofShelves = await sendBatch(client, [add('shelves'), add('books')])
      expect([ofShelves.status, ofShelves.body.errors[0].source.pointer]).to.deep.equal([422, '/atomic:operations/0'])
      const ofBooks = await sendBatch(client, [add('books'), add('shelves')])
      expect([ofBooks.status, ofBooks.body.errors[0].source.pointer]).to.deep.equal([500, '/atomic:operations/0'])
    })
  })

  it('returns code, status, title, detail and source of an error of the catalogue', async () => {
    const client = await start({})
    const { status, body } = await errorsOf(client, teapot({ id: 'kettle' }, { source: { parameter: 'tea' } }))
    expect(status).to.equal(418)
    expect(body.errors).to.deep.equal([
      {
        status: '418',
        code: 'TEAPOT',
        title: 'Teapot',
        detail: "'kettle' brews no {drink}.",
        source: { parameter: 'tea' },
      },
    ])
  })

  it('ERR-02 returns the common status of several errors, else 400, or 500 if one is a server error', async () => {
    const client = await start({})
    const missing = resourceNotFound({ type: 'books', id: '9' })
    const statusOf = async (...errors: ConstructorParameters<typeof ApiErrors>[0]) => {
      const { status, body } = await errorsOf(client, new ApiErrors(errors))
      expect(body.errors).to.have.length(errors.length)
      return status
    }
    expect(await statusOf(missing, missing)).to.equal(404)
    expect(await statusOf(missing, teapot())).to.equal(400)
    expect(await statusOf(missing, broken())).to.equal(500)
  })

  it('returns 500 without code, detail and meta for any other thrown value', async () => {
    const client = await start({})
    for (const thrown of [
      new TypeError('secret'),
      Object.assign(new Error('secret'), { code: 'E_SECRET' }),
      'text',
      null,
    ]) {
      const { status, body, text } = await errorsOf(client, thrown)
      expect(status).to.equal(500)
      expect(body.errors).to.deep.equal([{ status: '500', title: 'Internal Server Error' }])
      expect(text).not.to.match(/secret/i)
    }
  })

  it('returns message, class, file, line and trace of an unexpected error in debug mode', async () => {
    const client = await start({ debug: true })
    const { status, body } = await errorsOf(client, new KettleError('It boiled over.'))
    const [error] = body.errors
    expect(status).to.equal(500)
    expect(error).to.have.keys('status', 'title', 'detail', 'meta')
    expect(error).to.include({ status: '500', title: 'Internal Server Error', detail: 'It boiled over.' })
    expect(error.meta.exception).to.equal('KettleError')
    expect(error.meta.file).to.match(/error-mapping\.test\.ts$/)
    expect(error.meta.line).to.be.a('number').above(0)
    expect(error.meta.trace).to.be.an('array').that.is.not.empty
    expect(error.meta.trace[0]).to.include(`error-mapping.test.ts:${error.meta.line}:`)
  })

  it('returns the code of an unexpected error as a string in debug mode, if it has one', async () => {
    const client = await start({ debug: true })
    const withCode = await errorsOf(client, Object.assign(new Error('Broken.'), { code: 42 }))
    expect(withCode.body.errors[0].code).to.equal('42')
    const without = await errorsOf(client, new Error('Broken.'))
    expect(without.body.errors[0]).not.to.have.property('code')
  })

  it('returns a thrown text as detail in debug mode', async () => {
    const client = await start({ debug: true })
    const { status, body } = await errorsOf(client, 'a word')
    expect(status).to.equal(500)
    expect(body.errors[0]).to.include({ status: '500', detail: 'a word' })
  })

  it('logs an unexpected error once, with the error object', async () => {
    const client = await start({ logger })
    const thrown = new Error('Broken.')
    await errorsOf(client, thrown)
    expect(logged).to.have.length(1)
    expect(logged[0]?.[0]).to.deep.include({ err: thrown, method: 'GET', path: '/books' })
  })

  it('logs neither HTTP errors nor errors of the catalogue', async () => {
    const client = await start({ logger })
    for (const thrown of [
      createError(500, 'Expected.'),
      createError(503),
      teapot(),
      new ApiErrors([teapot(), broken()]),
    ]) {
      await errorsOf(client, thrown)
    }
    expect(logged).to.be.empty
  })

  it('returns 500 without a logger', async () => {
    const client = await start({})
    const { status } = await errorsOf(client, new Error('Broken.'))
    expect(status).to.equal(500)
  })

  it('returns an error document for an HTTP error thrown by server middleware', async () => {
    const { client, close } = await startLibrary({
      servers: {
        default: {
          middleware: [(ctx) => ctx.throw(401, 'Who are you?', { headers: { 'WWW-Authenticate': 'Bearer' } })],
        },
        admin: { prefix: '/admin' },
      },
    })
    const { status, headers, body } = await client.get('/books')
    expect(status).to.equal(401)
    expect(headers.get('www-authenticate')).to.equal('Bearer')
    expect(body.errors).to.deep.equal([{ status: '401', title: 'Unauthorized', detail: '' }])
    await close()
  })

  it('returns 500 without details when a plugin throws while the error response is sent', async () => {
    const throwing: Plugin = {
      name: 'throwing',
      plan: addSteps({
        respond() {
          throw new Error('Not even this.')
        },
      }),
    }
    const app = await startLibrary({ plugins: [...plugins, throwing], logger })
    started.push(app)
    const { status, body } = await app.client.get('/books')
    expect(status).to.equal(500)
    expect(body.errors).to.deep.equal([{ status: '500', title: 'Internal Server Error' }])
    expect(logged.at(-1)?.[1]).to.equal(
      'A plugin failed while handling an error; the response is a bare error document',
    )
  })

  describe('with mappers', () => {
    const mapTo = (title: string, fits: (error: unknown) => boolean = () => true): ErrorMapper['map'] => {
      return (error) => (fits(error) ? { kind: 'error', status: 402, errors: [{ status: '402', title }] } : null)
    }
    const titleOf = async (thrown: unknown, mapping: ErrorMappingOptions) => {
      const { status, body } = await errorsOf(await start({ mapping, logger }), thrown)
      return `${status} ${body.errors[0].title}`
    }

    it('runs mappers by descending priority, and in list order if equal', async () => {
      const mappers = [{ map: mapTo('second') }, { map: mapTo('third') }, { map: mapTo('first'), priority: 1 }]
      expect(await titleOf(new Error('Broken.'), { mappers })).to.equal('402 first')
      expect(await titleOf(new Error('Broken.'), { mappers: mappers.slice(0, 2) })).to.equal('402 second')
      expect(logged).to.be.empty
    })

    it('runs the next mapper when a mapper returns null', async () => {
      const isKettle = (error: unknown) => error instanceof KettleError
      const mappers = [{ map: mapTo('kettle', isKettle), priority: 5 }, { map: mapTo('any') }]
      expect(await titleOf(new KettleError(), { mappers })).to.equal('402 kettle')
      expect(await titleOf(createError(404), { mappers })).to.equal('402 any')
      expect(await titleOf(createError(404), { mappers: mappers.slice(0, 1) })).to.equal('404 Not Found')
    })

    it('runs mappers before declared exceptions unless their priority is below -1000', async () => {
      const exceptions = [[KettleError, 409]] as const
      const map = mapTo('mapped')
      expect(await titleOf(new KettleError(), { exceptions, mappers: [{ map, priority: -999 }] })).to.equal(
        '402 mapped',
      )
      expect(await titleOf(new KettleError(), { exceptions, mappers: [{ map, priority: -1001 }] })).to.equal(
        '409 Conflict',
      )
    })

    it('runs no mapper for errors of the catalogue', async () => {
      expect(await titleOf(teapot(), { mappers: [{ map: mapTo('mapped') }] })).to.equal('418 Teapot')
    })

    it('returns 500 and logs the error when a mapper throws', async () => {
      const map = () => {
        throw new TypeError('The mapper is broken.')
      }
      expect(await titleOf(new KettleError(), { mappers: [{ map }] })).to.equal('500 Internal Server Error')
      expect(logged[0]?.[0]).to.have.property('err').that.is.instanceOf(TypeError)
    })
  })

  describe('with translated messages', () => {
    const words: ErrorMessages = {
      TEAPOT: { title: 'Kanne', detail: 'Kein {drink}, kein {milk}, {id}.' },
      405: { title: 'So nicht' },
    }
    const textsOf = async (mapping: ErrorMappingOptions, language: string | null, thrown: unknown) => {
      const client = await start({ mapping })
      failure = thrown
      const { headers, body } = await client.get('/books', language === null ? {} : { 'accept-language': language })
      const [{ title, detail }] = body.errors
      return [title, detail, headers.get('content-language'), /Accept-Language/.test(headers.get('vary') ?? '')]
    }
    const kettle = () => teapot({ id: 'kettle', drink: 'coffee' })
    const english = ['Teapot', "'kettle' brews no coffee."]

    it('returns the language the client prefers, with Content-Language and Vary', async () => {
      const mapping = { messages: { de: words } }
      const german = ['Kanne', 'Kein coffee, kein {milk}, kettle.', 'de', true]
      expect(await textsOf(mapping, 'de', kettle())).to.deep.equal(german)
      expect(await textsOf(mapping, 'de-AT, en;q=0.8', kettle())).to.deep.equal(german)
      for (const language of ['en', 'en-GB, de;q=0.5', 'fr', '*', 'de;q=0', '%%%', null]) {
        expect(await textsOf(mapping, language, kettle())).to.deep.equal([...english, 'en', true])
      }
    })

    it('falls back to English for a missing title or detail', async () => {
      const messages = { de: { TEAPOT: { detail: 'Nein.' } }, en: { TEAPOT: { title: 'A teapot' } } }
      expect(await textsOf({ messages }, 'de', kettle())).to.deep.equal(['Teapot', 'Nein.', 'de', true])
      expect(await textsOf({ messages }, 'en', kettle())).to.deep.equal(['A teapot', english[1], 'en', true])
    })

    it('returns no Vary: Accept-Language when there is only one language', async () => {
      expect(await textsOf({}, 'de', kettle())).to.deep.equal([...english, 'en', false])
    })

    it('translates the title by status when the error has no code', async () => {
      const mapping = { messages: { de: words } }
      expect(await textsOf(mapping, 'de', createError(405))).to.deep.equal(['So nicht', '', 'de', true])
      expect(await textsOf(mapping, 'de', createError(418))).to.deep.equal(['Error', '', 'de', true])
      expect(await textsOf({ messages: { de } }, 'de', new Error('x'))).to.deep.equal([
        'Interner Serverfehler',
        undefined,
        'de',
        true,
      ])
    })
  })

  describe('GET /errors', () => {
    it('is served at the configured path, or not at all when page is null', async () => {
      const moved = await start({ mapping: { page: '/help/errors' } })
      expect((await moved.get('/help/errors')).status).to.equal(200)
      const { body } = await moved.get('/books/4711')
      expect(body.errors[0].links.type).to.equal(`${moved.url}/help/errors#RESOURCE_NOT_FOUND`)
      const disabled = await start({ mapping: { page: null } })
      expect((await disabled.get('/errors')).status).to.equal(404)
      expect((await disabled.get('/books/4711')).body.errors[0]).not.to.have.property('links')
    })

    it('escapes HTML in error definitions', async () => {
      const marked = defineError('MARKED', 400, '<b>Title</b>', '<i>{x}</i>', { when: 'A `<tag>` & more.' })
      const { client } = await startLibrary({
        plugins: [...plugins, { name: 'marked', errors: [marked.definition] }],
      }).then((app) => {
        started.push(app)
        return app
      })
      const { text } = await client.get('/errors')
      expect(text).to.include('&lt;b&gt;Title').and.include('A <code>&lt;tag&gt;</code> &amp; more.')
      expect(text).not.to.include('<b>').and.not.to.include('<i>')
    })
  })

  describe('disabled', () => {
    const disabled = ['error-mapping']

    it('returns errors of the catalogue unchanged', async () => {
      const client = await start({ disabled })
      const { status, body } = await errorsOf(client, teapot({ id: 'kettle' }))
      expect(status).to.equal(418)
      expect(body.errors[0]).to.include({ code: 'TEAPOT', title: 'Teapot' })
    })

    it('returns status and headers of an HTTP error', async () => {
      const client = await start({ disabled, debug: true })
      const { status, headers, body } = await client.send('PUT', '/books')
      expect(status).to.equal(405)
      expect(headers.get('allow')).to.include('GET')
      expect(body.errors).to.deep.equal([{ status: '405' }])
    })

    it('returns 500 without details for any other error, in debug mode too', async () => {
      const client = await start({ disabled, debug: true, logger })
      const { status, body } = await errorsOf(client, new Error('secret'))
      expect(status).to.equal(500)
      expect(body.errors).to.deep.equal([{ status: '500', title: 'Internal Server Error' }])
    })
  })
})

const teapot = defineError('TEAPOT', 418, 'Teapot', "'{id}' brews no {drink}.")
const broken = defineError('BROKEN', 500, 'Broken', 'Broken.')

class KettleError extends Error {}
class SmallKettleError extends KettleError {}
class SamovarError extends KettleError {}
