import { expect } from 'chai'
import createError from 'http-errors'
import type { EntityHook, Stages } from '#app/kernel/contract/stages.ts'
import { plugins } from '#app/plugins.ts'
import { type ApiResponse, addSteps, type Operation, type Plugin } from '#kernel/plugin'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import { add, addAs, atomicHeaders } from '#test/support/batch.ts'
import type { Client } from '#test/support/client.ts'
import { fillLibrary, redTag } from '#test/template/specification/library-rows.ts'
import { hasServer } from '#test/template/support/describe-if.ts'
import { expectReplay, keyed, query, setAge, shelf } from '#test/template/support/idempotency-keys.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

describe('The response stored with an idempotency key', () => {
  /** The behaviour of the next write; each test sets its own. */
  let next: Partial<
    Pick<Stages, 'authorize' | 'transaction' | 'afterCommit' | 'respond'> & { beforeSave: EntityHook }
  > = {}
  const take = <Name extends keyof typeof next>(name: Name) => {
    const hook = next[name]
    delete next[name]
    return hook
  }
  const interfering: Plugin = {
    name: 'interfering',
    plan: addSteps({
      authorize: (...args) => take('authorize')?.(...args),
      transaction: (...args) => take('transaction')?.(...args),
      beforeSave: (...args) => take('beforeSave')?.(...args),
      afterCommit: (...args) => take('afterCommit')?.(...args),
      respond: (...args) => take('respond')?.(...args),
    }),
  }
  const warnings: string[] = []
  let library: TestApp
  let client: Client

  before(async () => {
    const warn = (_fields: object, message: string) => void warnings.push(message)
    const logger = { warn, error() {}, info() {} } as unknown as NonNullable<TestAppOptions['logger']>
    library = await startLibrary({ plugins: [...plugins, interfering], undescribed: ['default', 'admin'], logger })
    client = library.client
  })
  beforeEach(async () => {
    warnings.length = 0
    next = {}
    await fillLibrary()
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  for (const status of [403, 404, 409, 412, 422]) {
    it(`is an error ${status} of the operation, which is repeated although its cause is gone`, async () => {
      const key = keyed()
      next = { beforeSave: () => Promise.reject(createError(status)) }
      const failed = await client.post('/shelves', shelf('Prose'), key)
      expect([failed.status, failed.headers.get('retry-after')]).to.deep.equal([status, null])
      const repeated = await client.post('/shelves', shelf('Prose'), key)
      expect(repeated.status).to.equal(status)
      expect(repeated.headers.get('idempotency-replayed')).to.equal('true')
      expect(await namesOf('Prose')).to.have.length(0)
    })
  }

  for (const status of [400, 401, 410, 423, 428, 429, 500, 502, 503]) {
    it(`is not an error ${status} of the operation, which runs again`, async () => {
      const key = keyed()
      next = { beforeSave: () => Promise.reject(createError(status)) }
      expect((await client.post('/shelves', shelf('Prose'), key)).status).to.equal(status)
      expect((await client.post('/shelves', shelf('Prose'), key)).status).to.equal(201)
      expect(await namesOf('Prose')).to.have.length(1)
    })
  }

  const replacements: readonly [string, (operation: Operation) => ApiResponse][] = [
    ['200', () => ({ kind: 'meta', status: 200, meta: { replaced: true } })],
    ['204', () => ({ kind: 'none', status: 204 })],
    ['303', () => ({ kind: 'none', status: 303, headers: { Location: '/elsewhere' } })],
    ['409', () => ({ kind: 'error', status: 409, errors: [{ status: '409', title: 'Conflict' }] })],
  ]
  for (const [status, replacement] of replacements) {
    it(`is the ${status} that a hook returns after the commit`, async () => {
      const key = keyed()
      next = { afterCommit: replacement }
      const first = await client.post('/shelves', shelf('Prose'), key)
      expect([first.status, first.headers.get('idempotency-replayed')]).to.deep.equal([Number(status), null])
      const second = await client.post('/shelves', shelf('Prose'), key)
      expect([second.status, second.body?.meta]).to.deep.equal([first.status, first.body?.meta])
      expect(second.headers.get('location')).to.equal(first.headers.get('location'))
      expect(second.headers.get('idempotency-replayed')).to.equal('true')
      expect(await namesOf('Prose')).to.have.length(1)
    })
  }

  for (const status of [400, 500]) {
    it(`is not an error ${status} that a hook returns after the commit: the response of the write is repeated`, async () => {
      const key = keyed()
      const errors = [{ status: String(status), title: 'Failed' }]
      next = { afterCommit: () => ({ kind: 'error', status, errors }) }
      expect((await client.post('/shelves', shelf('Prose'), key)).status).to.equal(status)
      const { status: repeated, headers, body } = await client.post('/shelves', shelf('Prose'), key)
      expect([repeated, headers.get('idempotency-replayed')]).to.deep.equal([201, 'true'])
      expect(body.data.attributes).to.deep.equal({ name: 'Prose' })
      expect(await namesOf('Prose')).to.have.length(1)
    })
  }

  it('is not the one of a hook after the commit if the database refuses it; the log has a warning', async () => {
    const key = keyed()
    next = {
      async afterCommit() {
        await query('alter table idempotency_keys rename to renamed_keys')
        return { kind: 'meta', status: 200, meta: { replaced: true } }
      },
    }
    const first = await client.post('/shelves', shelf('Prose'), key)
    await query('alter table renamed_keys rename to idempotency_keys')
    expect([first.status, first.body.meta]).to.deep.equal([200, { replaced: true }])
    expect(warnings).to.deep.equal(['A response could not be stored with its idempotency key; a retry runs again'])
    const { status, headers } = await client.post('/shelves', shelf('Prose'), key)
    expect([status, headers.get('idempotency-replayed')]).to.deep.equal([201, 'true'])
  })

  it('is not an error that is replaced by 500, because a plugin has failed to handle it', async () => {
    const key = keyed()
    next = {
      beforeSave: () => Promise.reject(createError(409)),
      respond: () => {
        throw new Error('The plugin has failed.')
      },
    }
    expect((await client.post('/shelves', shelf('Prose'), key)).status).to.equal(500)
    expect((await client.post('/shelves', shelf('Prose'), key)).status).to.equal(201)
  })

  it('is not an error before the transaction, which runs again', async () => {
    const key = keyed()
    next = { authorize: () => Promise.reject(createError(409)) }
    expect((await client.post('/shelves', shelf('Prose'), key)).status).to.equal(409)
    expect((await client.post('/shelves', shelf('Prose'), key)).status).to.equal(201)
  })

  it('is the error if the transaction fails after the response is rendered, without headers of that response', async () => {
    const key = keyed()
    next = { transaction: ({ beforeCommit }) => beforeCommit(() => Promise.reject(createError(409))) }
    const failed = await client.post('/shelves', shelf('Prose'), key)
    expect([failed.status, failed.headers.get('location')]).to.deep.equal([409, null])
    const repeated = await client.post('/shelves', shelf('Prose'), key)
    expect([repeated.status, repeated.headers.get('location')]).to.deep.equal([409, null])
    expect(await namesOf('Prose')).to.have.length(0)
  })

  it('is an error of the database or of validation', async () => {
    const tag = { type: 'tags', id: redTag, attributes: { name: 'crimson' } }
    const requests: readonly [number, string, string, unknown][] = [
      [409, 'POST', '/tags', { data: tag }],
      [422, 'POST', '/tags', { data: { type: 'tags', attributes: {} } }],
      [404, 'DELETE', '/books/99', undefined],
      [404, 'PATCH', '/books/1/relationships/shelf', { data: { type: 'shelves', id: '99' } }],
    ]
    for (const [status, method, path, body] of requests) {
      const init = { headers: keyed(), ...(body !== undefined && { body }) }
      const first = await client.send(method, path, init)
      expect(first.status, first.text).to.equal(status)
      expectReplay(await client.send(method, path, init), first)
    }
  })

  it('is the error of a batch with its pointer', async () => {
    const operations = [addAs('new', 'shelves', { name: 'Prose' }), add('tags', { name: 'x'.repeat(41) })]
    const send = () => client.post('/operations', { 'atomic:operations': operations }, { ...atomicHeaders, ...key })
    const key = keyed()
    const first = await send()
    expect([first.status, first.body.errors[0].source.pointer]).to.deep.equal([
      422,
      '/atomic:operations/1/data/attributes/name',
    ])
    const second = await send()
    expect(second.headers.get('idempotency-replayed')).to.equal('true')
    expect(second.body.errors[0].source).to.deep.equal(first.body.errors[0].source)
  })

  it('does not exist if the request is invalid by itself: the key may be used for the corrected request', async () => {
    const key = keyed()
    const wrongType = { data: { type: 'books', attributes: { title: 'Prose' } } }
    for (const [status, path, body] of [
      [409, '/shelves', wrongType],
      [400, '/shelves', {}],
      [400, '/shelves?sort=name', shelf('Prose')],
    ] as const) {
      expect((await client.post(path, body, key)).status).to.equal(status)
    }
    expect((await client.post('/shelves', shelf('Prose'), key)).status).to.equal(201)
  })

  it('returns 409 and rolls back when another process has stored a response first', async () => {
    const key = keyed()
    await client.post('/shelves', shelf('Prose'), key)
    await setAge(100_000)
    next = {
      beforeSave: async ({ context }) => {
        await context.unit.run('update idempotency_keys set created_at = now()', [])
      },
    }
    const { status, body, headers } = await client.post('/shelves', shelf('Prose'), key)
    expect([status, body.errors[0].code]).to.deep.equal([409, 'IDEMPOTENCY_KEY_IN_USE'])
    expect(headers.get('retry-after')).to.equal('1')
    expect(headers.get('location')).to.equal(null)
    expect(await namesOf('Prose')).to.have.length(1)
    const repeated = await client.post('/shelves', shelf('Prose'), key)
    expect([repeated.status, repeated.headers.has('idempotency-replayed')]).to.deep.equal([201, false])
  })

  it('is sent in place of an error when another process has stored it first (needs a server: two connections)', async function () {
    if (!hasServer) this.skip() // the embedded database has one connection
    const key = keyed()
    const first = await client.post('/shelves', shelf('Prose'), key)
    await setAge(100_000)
    next = {
      beforeSave: async () => {
        await query('update idempotency_keys set created_at = now()')
        throw createError(409)
      },
    }
    const repeated = await client.post('/shelves', shelf('Prose'), { ...key, 'x-request-id': 'second' })
    expectReplay(repeated, first)
    expect(repeated.headers.get('x-request-id')).to.equal('second')
  })

  it('is not sent in place of the error of another request (needs a server: two connections)', async function () {
    if (!hasServer) this.skip() // the embedded database has one connection
    const key = keyed()
    await client.post('/shelves', shelf('Prose'), key)
    await setAge(100_000)
    next = {
      beforeSave: async () => {
        await setAge(0)
        throw createError(409)
      },
    }
    const { status, headers } = await client.post('/shelves', shelf('Verse'), key)
    expect([status, headers.has('idempotency-replayed')]).to.deep.equal([409, false])
  })

  const namesOf = (name: string) => query(`select id from shelves where name = '${name}'`)
})
