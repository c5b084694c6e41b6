import { expect } from 'chai'
import createError from 'http-errors'
import { plugins } from '#app/plugins.ts'
import { ApiErrors, type App, defineError, defineResource, type Plugin, resourceNotFound } from '#kernel'
import { startApp, type TestApp } from '#test/support/app.ts'
import { Shelf } from '#test/support/library/entities.ts'
import { startLibrary } from '#test/support/library/index.ts'
import type { Exceptions } from './exceptions.ts'
import { errorMapping } from './index.ts'

describe('The plugin error-mapping', () => {
  let failure: unknown
  const failing: Plugin = {
    name: 'failing',
    onRequest() {
      if (failure !== undefined) throw failure
    },
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
    exceptions?: Exceptions
  }) => {
    const [, ...others] = plugins
    const app = await startApp({
      plugins: [errorMapping({ exceptions: options.exceptions ?? [] }), ...others, failing],
      disabled: options.disabled ?? [],
      config: { debug: options.debug ?? false },
      logger: options.logger ?? null,
    })
    started.push(app)
    return app.client
  }
  const errorsOf = async (client: TestApp['client'], thrown: unknown) => {
    failure = thrown
    return client.get('/albums')
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

  it('answers an HTTP exception with its status, the title of that status, an empty detail and no code', async () => {
    const client = await start({})
    for (const [status, title] of titles) {
      const { status: answered, body } = await errorsOf(client, createError(status, 'Not for clients.'))
      expect(answered).to.equal(status)
      expect(body.errors).to.deep.equal([{ status: String(status), title, detail: '' }])
    }
  })

  it('shows the message of an HTTP exception as detail in debug mode', async () => {
    const client = await start({ debug: true })
    const { body } = await errorsOf(client, createError(409, 'The shop is closed.'))
    expect(body.errors).to.deep.equal([{ status: '409', title: 'Conflict', detail: 'The shop is closed.' }])
  })

  it('sends the headers and the source an HTTP exception carries', async () => {
    const client = await start({})
    const thrown = createError(503, 'Later.', { headers: { 'Retry-After': '7' }, source: { header: 'Accept' } })
    const { headers, body } = await errorsOf(client, thrown)
    expect(headers.get('retry-after')).to.equal('7')
    expect(body.errors[0].source).to.deep.equal({ header: 'Accept' })
  })

  it('answers an error whose class is given a status with that, as it would an HTTP exception', async () => {
    const exceptions = [[KettleError, 409]] as const
    const quiet = await start({ exceptions, logger })
    const { status, body } = await errorsOf(quiet, new KettleError('It boiled over.'))
    expect(status).to.equal(409)
    expect(body.errors).to.deep.equal([{ status: '409', title: 'Conflict', detail: '' }])
    expect(logged).to.be.empty
    const telling = await start({ exceptions, debug: true })
    const told = await errorsOf(telling, new KettleError('It boiled over.'))
    expect(told.body.errors).to.deep.equal([{ status: '409', title: 'Conflict', detail: 'It boiled over.' }])
  })

  it('gives an error the status of its most derived class, wherever that stands in the list', async () => {
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
      const client = await start({ exceptions })
      expect((await errorsOf(client, new SamovarError())).status).to.equal(409)
      expect((await errorsOf(client, new TypeError())).status).to.equal(400)
      expect((await errorsOf(client, 'text')).status).to.equal(500)
    }
  })

  it('takes the exceptions a resource declares, whichever type throws them', async () => {
    const shelves = defineResource(Shelf, {
      type: 'shelves',
      fields: ({ id, string }) => [id(), string('name')],
      exceptions: [[KettleError, 422]],
    })
    const library = await startLibrary({
      plugins: [...plugins, failing],
      resources: [{ file: 'shelves.ts', resource: shelves }],
    })
    started.push(library)
    failure = new KettleError()
    expect((await library.client.get('/shelves')).status).to.equal(422)
  })

  it('answers an error of the catalogue with its own code, status, title, detail and source', async () => {
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

  it('ERR-02 answers several errors at once: with their common status, else 400, or 500 when one is a server error', async () => {
    const client = await start({})
    const missing = resourceNotFound({ type: 'albums', id: '9' })
    const statusOf = async (...errors: ConstructorParameters<typeof ApiErrors>[0]) => {
      const { status, body } = await errorsOf(client, new ApiErrors(errors))
      expect(body.errors).to.have.length(errors.length)
      return status
    }
    expect(await statusOf(missing, missing)).to.equal(404)
    expect(await statusOf(missing, teapot())).to.equal(400)
    expect(await statusOf(missing, broken())).to.equal(500)
  })

  it('answers anything else with a bare 500: no code, no detail, no meta', async () => {
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

  it('shows message, class, file, line and trace of an unexpected error in debug mode', async () => {
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

  it('shows the code of an unexpected error in debug mode as a string, and only when it has one', async () => {
    const client = await start({ debug: true })
    const withCode = await errorsOf(client, Object.assign(new Error('Broken.'), { code: 42 }))
    expect(withCode.body.errors[0].code).to.equal('42')
    const without = await errorsOf(client, new Error('Broken.'))
    expect(without.body.errors[0]).not.to.have.property('code')
  })

  it('shows what was thrown in debug mode even when it was not an error', async () => {
    const client = await start({ debug: true })
    const { status, body } = await errorsOf(client, 'a word')
    expect(status).to.equal(500)
    expect(body.errors[0]).to.include({ status: '500', detail: 'a word' })
  })

  it('logs an unexpected error once, with the exception attached', async () => {
    const client = await start({ logger })
    const thrown = new Error('Broken.')
    await errorsOf(client, thrown)
    expect(logged).to.have.length(1)
    expect(logged[0]?.[0]).to.deep.include({ err: thrown, method: 'GET', path: '/albums' })
  })

  it('logs neither HTTP exceptions nor errors of the catalogue', async () => {
    const client = await start({ logger })
    for (const thrown of [
      createError(500, 'Known.'),
      createError(503),
      teapot(),
      new ApiErrors([teapot(), broken()]),
    ]) {
      await errorsOf(client, thrown)
    }
    expect(logged).to.be.empty
  })

  it('answers alike without a logger', async () => {
    const client = await start({})
    const { status } = await errorsOf(client, new Error('Broken.'))
    expect(status).to.equal(500)
  })

  it('answers an exception of a middleware of the server as a document', async () => {
    const { client, close } = await startApp({
      servers: {
        default: {
          middleware: [(ctx) => ctx.throw(401, 'Who are you?', { headers: { 'WWW-Authenticate': 'Bearer' } })],
        },
        admin: { prefix: '/admin' },
      },
    })
    const { status, headers, body } = await client.get('/albums')
    expect(status).to.equal(401)
    expect(headers.get('www-authenticate')).to.equal('Bearer')
    expect(body.errors).to.deep.equal([{ status: '401', title: 'Unauthorized', detail: '' }])
    await close()
  })

  describe('switched off', () => {
    const disabled = ['error-mapping']

    it('still answers errors of the catalogue as they are', async () => {
      const client = await start({ disabled })
      const { status, body } = await errorsOf(client, teapot({ id: 'kettle' }))
      expect(status).to.equal(418)
      expect(body.errors[0]).to.include({ code: 'TEAPOT', title: 'Teapot' })
    })

    it('still answers an HTTP exception with its status and headers', async () => {
      const client = await start({ disabled, debug: true })
      const { status, headers, body } = await client.send('PUT', '/albums')
      expect(status).to.equal(405)
      expect(headers.get('allow')).to.include('GET')
      expect(body.errors).to.deep.equal([{ status: '405' }])
    })

    it('answers anything else with a bare 500, in debug mode too', async () => {
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
class SamovarError extends KettleError {}
