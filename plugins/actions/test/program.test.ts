import { expect } from 'chai'
import type { ApiResponse } from '#kernel'
import type { Operation, Plugin } from '#kernel/plugin'
import { actions, addAction, data, meta, noContent } from '#plugins/actions/index.ts'
import { Policy } from '#plugins/authorization/index.ts'
import { lifecycle } from '#plugins/lifecycle/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { pluginsWithTokens } from '#test/support/principals.ts'
import { Book } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase } from '#test/template/support/library/index.ts'
import { type ShelfOverrides, startShelves } from '#test/template/support/library/shelves.ts'

describe('Actions: hooks', () => {
  let library: TestApp
  afterEach(() => library.close())
  after(emptyLibrary)
  const act: ShelfOverrides['actions'] = ({ action }) => [
    action('rename', {
      answers: 'data',
      handle({ subject, unit }) {
        calls.push(`handle ${subject.name}`)
        subject.name = 'Prose'
        unit.onRollback(() => calls.push('rollback'))
        return data(subject)
      },
    }),
    action('count', { on: 'collection', answers: 'meta', handle: () => meta({ shelves: 2 }) }),
    action('size', { method: 'GET', answers: 'meta', handle: () => meta({}) }),
  ]
  const calls: string[] = []
  beforeEach(() => void calls.splice(0))

  it('calls beforeAction inside the transaction, afterAction and, if a resource is kept, afterSave after the commit', async () => {
    library = await startShelves({
      actions: act,
      beforeAction: (subject, { action }) => void calls.push(`before ${action} ${subject?.name}`),
      async afterAction(subject, { action, response }) {
        const { orm } = await libraryDatabase()
        const [row] = await orm.em.getConnection().execute('select name from shelves where id = 1')
        calls.push(`after ${action} ${subject?.name ?? null} ${row?.name} ${response.status}`)
      },
      afterSave: ({ name }, creating) => void calls.push(`saved ${name} ${creating}`) as undefined,
    })
    await library.client.send('POST', '/shelves/1/-actions/rename')
    expect(calls).to.deep.equal([
      'before rename Fiction',
      'handle Fiction',
      'after rename Prose Prose 200',
      'saved Prose false',
    ])
    await library.client.send('POST', '/shelves/-actions/count')
    expect(calls.slice(4)).to.deep.equal(['before count undefined', 'after count null Prose 200'])
    await library.client.get('/shelves/1/-actions/size')
    expect(calls.slice(6)).to.deep.equal(['before size Prose'])
  })

  it('runs neither the handler nor afterAction when beforeAction throws', async () => {
    class ClosedError extends Error {}
    library = await startShelves({
      actions: act,
      exceptions: [[ClosedError, 409]],
      beforeAction: () => {
        throw new ClosedError()
      },
      afterAction: () => void calls.push('after'),
    })
    expect((await library.client.send('POST', '/shelves/1/-actions/rename')).status).to.equal(409)
    expect(calls).to.deep.equal([])
  })

  it('calls listeners of BeforeAction and AfterAction, and ignores a response of afterAction', async () => {
    const ignored: ApiResponse = { kind: 'none', status: 204 }
    const listening = lifecycle({
      on: {
        BeforeAction: ({ type, action }) => void calls.push(`before ${type}.${action}`),
        AfterAction: ({ type, action }) => void calls.push(`after ${type}.${action}`),
      },
    })
    const plugins = pluginsWithTokens().map((plugin) => (plugin.name === 'lifecycle' ? listening : plugin))
    library = await startShelves({ actions: act, afterAction: () => ignored as never }, { plugins })
    expect((await library.client.send('POST', '/shelves/1/-actions/rename')).status).to.equal(200)
    expect(calls).to.deep.equal(['before shelves.rename', 'handle Fiction', 'after shelves.rename'])
  })
})

describe('Actions: app.dispatch', () => {
  let library: TestApp
  class ShelfPolicy extends Policy {
    static override readonly needs = { view: [], rename: [] }
    override viewAny = () => true
    override view = () => true
    rename = (principal: unknown) => principal !== null
    count = () => true
    cover = () => true
  }
  before(async () => {
    library = await startShelves({
      policy: ShelfPolicy,
      readOnly: true,
      actions: ({ action }) => [
        action('rename', {
          input: 'document',
          inputType: 'renames',
          answers: 'data',
          handle({ subject, input }) {
            subject.name = String(input.name)
            return data(subject)
          },
        }),
        action('count', { on: 'collection', method: 'GET', answers: 'meta', handle: () => meta({ shelves: 2 }) }),
        action('cover', {
          input: 'raw',
          accepts: ['image/png'],
          maxBytes: 10,
          answers: 'meta',
          handle: ({ input }) => meta({ size: input.bytes.length }),
        }),
      ],
    })
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })
  const rename = (more: object = {}) =>
    library.app.dispatch({ action: 'rename', type: 'shelves', id: '1', attributes: { name: 'Prose' }, ...more })

  it('runs an action for the trusted program, with input and query', async () => {
    const response = await rename({ query: 'include=books' })
    expect(response.status).to.equal(200)
    expect((await library.client.get('/shelves/1')).body.data.attributes.name).to.equal('Prose')
    const counted = await library.app.dispatch({ action: 'count', type: 'shelves' })
    expect(counted.meta).to.deep.equal({ shelves: 2 })
  })

  it('authorizes and validates an action that is dispatched for a principal', async () => {
    const denied = await rename({ principal: null }).catch((error) => error)
    expect(denied.status).to.equal(401)
    const invalid = await rename({ attributes: {} }).catch((error) => error)
    expect(String(invalid.errors?.[0] ?? invalid)).to.match(/name|required/i)
  })

  it('accepts a raw body, within the rules of the action', async () => {
    const cover = (mediaType: string, size: number) =>
      library.app.dispatch({
        action: 'cover',
        type: 'shelves',
        id: '1',
        body: { mediaType, bytes: Buffer.alloc(size) },
      })
    expect((await cover('image/png', 10)).meta).to.deep.equal({ size: 10 })
    expect((await cover('image/png', 11).catch((error) => error)).status).to.equal(413)
    expect((await cover('image/gif', 1).catch((error) => error)).definition.status).to.equal(415)
  })

  it('throws for an action that does not exist, and for a missing id', async () => {
    const unknown = await library.app.dispatch({ action: 'x', type: 'shelves' }).catch((error) => error)
    expect(unknown.message).to.equal("The type 'shelves' has no action 'x'.")
    const missing = await library.app.dispatch({ action: 'rename', type: 'shelves' }).catch((error) => error)
    expect(missing.message).to.contain('needs the id of a resource')
  })
})

describe('Actions: addAction', () => {
  let library: TestApp
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  it('lets a plugin add an action whose subject is outside of the scope of the type', async () => {
    const findDeleted = ({ target, context }: Operation) =>
      context.unit.em.findOne(
        Book,
        { id: Number(target.id), deletedAt: { $ne: null } },
        { filters: { kept: false }, lockMode: 4 },
      )
    const restoring: Plugin = {
      name: 'restoring',
      requires: ['actions'],
      onCompile(registry) {
        const type = registry.types.get('books')
        if (!type) return
        addAction(
          type,
          {
            name: 'restore',
            answers: 'noContent',
            findSubject: findDeleted,
            handle({ subject }) {
              ;(subject as Book).deletedAt = null
              return noContent()
            },
          },
          registry,
        )
      },
    }
    library = await startShelves({}, { plugins: [...pluginsWithTokens(), restoring] })
    const connection = (await libraryDatabase()).orm.em.getConnection()
    await connection.execute(`update books set deleted_at = now() where id = 1`)
    const restore = () => library.client.send('POST', '/books/1/-actions/restore')
    expect((await library.client.get('/books/1')).status).to.equal(404)
    expect((await restore()).status).to.equal(204)
    expect((await library.client.get('/books/1')).status).to.equal(200)
    expect((await restore()).status).to.equal(404)
    expect(actions().name).to.equal('actions')
  })
})
