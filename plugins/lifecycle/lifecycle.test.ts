import { expect } from 'chai'
import createError from 'http-errors'
import { plugins } from '#app/plugins.ts'
import { defineResource, type ResourceDeclaration, type Row } from '#kernel'
import { addSteps, type Plugin } from '#kernel/plugin'
import { Policy } from '#plugins/authorization/index.ts'
import type { Instruction } from '#program'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import { mediaType } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { type EventName, type Events, type Listeners, lifecycle } from './index.ts'

describe('The plugin lifecycle', () => {
  let library: TestApp
  let heard: string[]
  const start = async (overrides: Overrides = {}, on: Listeners = {}, options: TestAppOptions = {}) => {
    const list = plugins.map((plugin) => (plugin.name === 'lifecycle' ? lifecycle({ on }) : plugin))
    library = await startLibrary({ plugins: list, resources: declare(overrides), ...options })
    return library.client
  }
  /** Notes every event under its name. */
  const listening = (note: (name: EventName, event: Row) => string = (name) => name): Listeners =>
    Object.fromEntries(eventNames.map((name) => [name, (event: object) => void heard.push(note(name, event as Row))]))

  beforeEach(async () => {
    heard = []
    await fillLibrary()
  })
  afterEach(() => library.close())
  after(emptyLibrary)

  describe('around a create', () => {
    it('calls Serving, then the events before and after the commit', async () => {
      const client = await start({}, listening())
      expect((await client.post('/books', howl)).status).to.equal(201)
      expect(heard).to.deep.equal(['Serving', 'BeforeSave', 'BeforeCreate', 'AfterCreate', 'AfterSave'])
    })

    it('calls the listeners of an event in their order, then the hook of the resource', async () => {
      const note = (what: string) => () => void heard.push(what)
      const client = await start(
        {
          beforeSave: note('beforeSave'),
          beforeCreate: note('beforeCreate'),
          afterCreate: () => note('afterCreate')() as undefined,
        },
        { BeforeSave: [note('first'), note('second')], BeforeCreate: note('third') },
      )
      await client.post('/books', howl)
      expect(heard).to.deep.equal(['first', 'second', 'beforeSave', 'third', 'beforeCreate', 'afterCreate'])
    })

    it('passes principal, server, type and entity, inside the transaction', async () => {
      const seen: Events['BeforeSave'][] = []
      const client = await start(
        {},
        {
          BeforeSave(event) {
            seen.push(event)
            heard.push(String(event.context.unit.em.isInTransaction()))
          },
        },
      )
      await client.post('/books', howl)
      const [event] = seen
      expect(event).to.include({ serverName: 'default', type: 'books', creating: true })
      expect(event?.request?.ctx.method).to.equal('POST')
      expect(event?.entity).to.be.instanceOf(Book).and.to.include({ title: 'Howl' })
      expect(heard).to.deep.equal(['true'])
    })

    it('saves and shows values that a hook changes', async () => {
      const client = await start({
        beforeSave(book, creating) {
          if (creating) book.position = 7
        },
        async beforeCreate(book) {
          book.title = `${book.title} ${book.position}`
        },
      })
      const { body } = await client.post('/books', howl)
      expect(body.data.attributes).to.include({ title: 'Howl 7', position: 7 })
      expect(await titles()).to.include('Howl 7')
    })

    it('runs before-hooks before the commit and after-hooks with the committed row', async () => {
      const note = async () => void heard.push((await titles()).includes('Howl') ? 'there' : 'not there')
      const committed = async ({ entity }: Events['AfterCreate']) => {
        await note()
        heard.push(String((entity as Book).id))
        return undefined
      }
      const client = await start({}, { AfterCreate: committed, AfterSave: committed })
      const { body } = await client.post('/books', howl)
      expect(heard).to.deep.equal(['there', body.data.id, 'there', body.data.id])
    })

    it('gives after-hooks access to the database', async () => {
      const client = await start({
        async afterCreate(_book, { context }) {
          heard.push(String(await context.unit.em.count(Book)))
          return undefined
        },
      })
      expect((await client.post('/books', howl)).status).to.equal(201)
      expect(heard).to.deep.equal(['4'])
    })

    it('allows an after-hook to dispatch an operation', async () => {
      const client = await start({
        async afterCreate(_book, { request }) {
          if (request) await library.app.dispatch(programCreate('Kaddish'))
          return undefined
        },
      })
      expect((await client.post('/books', howl)).body.data.attributes.title).to.equal('Howl')
      expect(await titles()).to.include.members(['Howl', 'Kaddish'])
    })
  })

  describe('around an update', () => {
    it('calls Serving, then the events before and after the commit', async () => {
      const client = await start({}, listening())
      expect((await client.patch('/books/1', retitle('Howl'))).status).to.equal(200)
      expect(heard).to.deep.equal(['Serving', 'BeforeSave', 'BeforeUpdate', 'AfterUpdate', 'AfterSave'])
    })

    it('passes the original values and the changed entity', async () => {
      const client = await start({
        beforeUpdate(book, original) {
          heard.push(`${original.title} on ${original.shelf?.id}`, `${book.title} on ${book.shelf?.id}`)
        },
      })
      const relationships = { shelf: { data: { type: 'shelves', id: '2' } } }
      await client.patch('/books/1', { data: { ...retitle('Howl').data, relationships } })
      expect(heard).to.deep.equal(['Emma on 1', 'Howl on 2'])
    })

    it('saves values that a hook changes', async () => {
      const client = await start({
        beforeSave(book, creating) {
          if (!creating) book.secret = 'kept'
        },
        beforeUpdate(book, original) {
          book.position = original.position + 1
        },
      })
      const { body } = await client.patch('/books/1', retitle('Howl'))
      expect(body.data.attributes).to.include({ title: 'Howl', position: 2 })
      const [row] = await rows()
      expect(row).to.include({ secret: 'kept', position: 2 })
    })
  })

  describe('around a delete', () => {
    it('calls Serving, then the events before and after the commit', async () => {
      const client = await start({}, listening())
      expect((await client.delete('/books/1')).status).to.equal(204)
      expect(heard).to.deep.equal(['Serving', 'BeforeDelete', 'AfterDelete'])
    })

    it('passes the entity to after-hooks although its row is deleted', async () => {
      const client = await start({
        beforeDelete: (book) => void heard.push(`${book.id} ${book.title}`),
        async afterDelete(book) {
          heard.push(`${book.id} ${book.title} of ${(await titles()).length}`)
          return undefined
        },
      })
      await client.delete('/books/1')
      expect(heard).to.deep.equal(['1 Emma', '1 Emma of 2'])
    })

    it('returns 200 with the meta of a hook', async () => {
      const client = await start({ afterDelete: () => ({ kind: 'meta', status: 200, meta: { cancelled: true } }) })
      const { status, body } = await client.delete('/books/1')
      expect(status).to.equal(200)
      expect(body).to.have.keys('meta', 'links', 'jsonapi')
      expect(body.meta).to.deep.equal({ cancelled: true })
    })
  })

  describe('around a relationship write', () => {
    const shelve = (client: TestApp['client'], data: object | null) =>
      client.patch('/books/1/relationships/shelf', { data })
    const poetry = { type: 'shelves', id: '2' }

    it('calls Serving, then the events before and after the commit', async () => {
      const client = await start({}, listening())
      expect((await shelve(client, poetry)).status).to.equal(200)
      expect(heard).to.deep.equal(['Serving', 'BeforeRelationshipMutate', 'AfterRelationshipMutate', 'AfterSave'])
    })

    it('passes the parent, the relation, the identifiers and the mode', async () => {
      const client = await start({
        beforeRelationshipMutate: (book, { relation, linkage, mode, type }) =>
          void heard.push(`${type} ${book.id} ${relation.name} ${mode} ${JSON.stringify(linkage)}`),
        async afterRelationshipMutate(book, { linkage, mode }) {
          heard.push(`${book.id} ${mode} ${linkage.length}, row on ${(await rows())[0]?.shelf_id}`)
          return undefined
        },
      })
      await shelve(client, poetry)
      await shelve(client, null)
      expect(heard).to.deep.equal([
        `books 1 shelf replace ${JSON.stringify([poetry])}`,
        '1 replace 1, row on 2',
        'books 1 shelf replace []',
        '1 replace 0, row on null',
      ])
    })

    it('passes the mode add, remove or replace', async () => {
      const client = await start({
        ...tagged,
        beforeRelationshipMutate: (_book, { linkage, mode }) => void heard.push(`${mode} ${linkage.length}`),
        async afterRelationshipMutate(_book, { mode }) {
          heard.push(`${mode} done, ${await count('book_tags')} rows`)
          return undefined
        },
      })
      const path = '/books/1/relationships/tags'
      const tags = [redTag, blueTag].map((id) => ({ type: 'tags', id }))
      await client.patch(path, { data: tags })
      await client.delete(path, { data: tags.slice(1) })
      await client.post(path, { data: tags })
      await client.patch(path, { data: [] })
      expect(heard).to.deep.equal([
        ...['replace 2', 'replace done, 2 rows'],
        ...['remove 1', 'remove done, 1 rows'],
        ...['add 2', 'add done, 2 rows'],
        ...['replace 0', 'replace done, 0 rows'],
      ])
    })

    it('changes nothing when a hook throws', async () => {
      const client = await start(
        {
          beforeRelationshipMutate() {
            throw createError(409)
          },
        },
        listening(),
      )
      expect((await shelve(client, poetry)).status).to.equal(409)
      expect((await rows())[0]).to.include({ shelf_id: 1 })
      expect(heard).to.deep.equal(['Serving', 'BeforeRelationshipMutate'])
    })

    it('sends the response of a hook instead of the linkage', async () => {
      const client = await start({
        afterRelationshipMutate: (_book, { response }) =>
          response.kind === 'identifier' ? { ...response, edge: { members: [] } } : undefined,
      })
      const { status, body } = await shelve(client, poetry)
      expect([status, body.data]).to.deep.equal([200, null])
      expect((await rows())[0]).to.include({ shelf_id: 2 })
    })
  })

  describe('when an error is thrown', () => {
    const refusal = createError(409, 'No.')
    const refuse = () => {
      throw refusal
    }
    const writes: Record<string, (client: TestApp['client']) => Promise<{ status: number }>> = {
      BeforeCreate: (client) => client.post('/books', howl),
      BeforeUpdate: (client) => client.patch('/books/1', retitle('Howl')),
      BeforeDelete: (client) => client.delete('/books/1'),
    }
    for (const [name, write] of Object.entries(writes)) {
      it(`by ${name}, writes nothing and calls no after-hook`, async () => {
        const before = await rows()
        const client = await start({}, { ...listening(), [name]: refuse })
        expect((await write(client)).status).to.equal(409)
        expect(heard.filter((event) => event.startsWith('After'))).to.deep.equal([])
        expect(await rows()).to.deep.equal(before)
      })
    }

    it('by BeforeSave, neither creates nor updates a row', async () => {
      const before = await rows()
      const client = await start({ beforeSave: refuse })
      expect((await client.post('/books', howl)).status).to.equal(409)
      expect((await client.patch('/books/1', retitle('Howl'))).status).to.equal(409)
      expect(await rows()).to.deep.equal(before)
    })

    it('by Serving, does not run the operation', async () => {
      const client = await start({}, { ...listening(), Serving: refuse })
      expect((await client.get('/books')).status).to.equal(409)
      expect((await client.post('/books', howl)).status).to.equal(409)
      expect(heard).to.deep.equal([])
    })

    it('by the database, calls no after-hook', async () => {
      const client = await start(
        {
          beforeCreate(book) {
            book.position = 3_000_000_000
          },
        },
        listening(),
      )
      expect((await client.post('/books', howl)).status).to.be.at.least(400)
      expect(heard).to.deep.equal(['Serving', 'BeforeSave', 'BeforeCreate'])
    })

    it('by a check of the request, does not call Serving', async () => {
      const client = await start({}, listening())
      expect((await client.get('/books?sort=shelf')).status).to.equal(400)
      expect((await client.post('/books', { data: {} })).status).to.equal(400)
      expect(heard).to.deep.equal([])
    })

    it('by a check of the input, calls no write hook', async () => {
      const client = await start({}, listening())
      expect((await client.post('/books', { data: { type: 'books', attributes: {} } })).status).to.equal(422)
      expect((await client.patch('/books/99', { data: { type: 'books', id: '99' } })).status).to.equal(404)
      expect(heard).to.deep.equal(['Serving', 'Serving'])
    })

    const { logged, logger } = collectErrors()
    const failure = createError(409, 'Too late.')
    const refuseLate = () => {
      throw failure
    }
    const logOf = (...hooks: readonly string[]) =>
      hooks.map((hook) => ({ err: failure, plugin: 'lifecycle', type: 'books', hook }))
    beforeEach(() => {
      logged.length = 0
    })

    it('by an after-hook, returns the success and logs the error', async () => {
      const client = await start(
        {
          afterCreate: refuseLate,
          afterUpdate: refuseLate,
          afterSave: refuseLate,
          afterDelete: refuseLate,
          afterRelationshipMutate: refuseLate,
        },
        {},
        { logger },
      )
      expect((await client.post('/books', howl)).status).to.equal(201)
      expect(await titles()).to.include('Howl')
      expect((await client.patch('/books/1', retitle('Kaddish'))).status).to.equal(200)
      expect(await titles()).to.include('Kaddish')
      const linkage = { data: { type: 'shelves', id: '2' } }
      expect((await client.patch('/books/1/relationships/shelf', linkage)).status).to.equal(200)
      expect((await client.delete('/books/1')).status).to.equal(204)
      expect(await titles()).not.to.include('Kaddish')
      expect(logged).to.deep.equal(
        logOf(
          'afterCreate',
          'afterSave',
          'afterUpdate',
          'afterSave',
          'afterRelationshipMutate',
          'afterSave',
          'afterDelete',
        ),
      )
    })

    it('by a listener after the commit, sends the response of another function and logs the error', async () => {
      const client = await start(
        { afterCreate: () => ({ kind: 'meta', status: 200, meta: { kept: true } }), afterSave: refuseLate },
        { AfterCreate: refuseLate },
        { logger },
      )
      const { status, body } = await client.post('/books', howl)
      expect([status, body.meta]).to.deep.equal([200, { kept: true }])
      expect(logged).to.deep.equal(logOf('afterCreate', 'afterSave'))
    })

    it('by a plugin after the commit, returns the success and logs the error', async () => {
      const late: Plugin = {
        name: 'late',
        plan: addSteps({
          afterCommit: refuseLate,
        }),
      }
      const client = await start({}, {}, { plugins: [late, ...plugins], logger })
      expect((await client.post('/books', howl)).status).to.equal(201)
      expect(logged).to.deep.equal([{ err: failure, plugin: 'late', type: 'books', hook: 'afterCommit' }])
    })

    it('by a hook after a read, returns its error', async () => {
      const client = await start({ afterFetchOne: refuseLate, afterFetchCollection: refuseLate })
      expect((await client.get('/books/1')).status).to.equal(409)
      expect((await client.get('/books')).status).to.equal(409)
    })
  })

  it('calls before-hooks again when the transaction is retried, and after-hooks once', async () => {
    let attempts = 0
    const client = await start(
      {
        beforeCreate() {
          attempts++
          if (attempts === 1) throw Object.assign(new Error('Again.'), { code: '40001' })
        },
      },
      listening(),
    )
    expect((await client.post('/books', howl)).status).to.equal(201)
    const once = ['Serving', 'AfterCreate', 'AfterSave']
    for (const name of eventNames) {
      const times = heard.filter((event) => event === name).length
      const expected = once.includes(name) ? 1 : ['BeforeSave', 'BeforeCreate'].includes(name) ? 2 : 0
      expect(times, name).to.equal(expected)
    }
  })

  describe('when a hook returns a response', () => {
    it('sends the response of a hook after a create or an update', async () => {
      const client = await start({
        afterCreate: (book) => ({ kind: 'meta', status: 200, meta: { created: book.title } }),
        afterUpdate: () => ({ kind: 'none', status: 204 }),
      })
      expect((await client.post('/books', howl)).body.meta).to.deep.equal({ created: 'Howl' })
      expect((await client.patch('/books/1', retitle('Howl'))).status).to.equal(204)
    })

    it('passes the current response to every hook; AfterSave is the last', async () => {
      const client = await start(
        {
          afterCreate: (_book, { response }) => ({ ...response, meta: { ...response.meta, second: true } }),
          afterSave: (_book, _creating, { response }) => ({ ...response, meta: { ...response.meta, last: true } }),
        },
        { AfterCreate: ({ response }) => ({ ...response, meta: { first: true } }), AfterSave: () => undefined },
      )
      const { status, body } = await client.post('/books', howl)
      expect(status).to.equal(201)
      expect(body.data.attributes.title).to.equal('Howl')
      expect(body.meta).to.deep.equal({ first: true, second: true, last: true })
    })
  })

  describe('around reads', () => {
    it('calls the events of a collection before and after its query', async () => {
      const client = await start({}, listening())
      await client.get('/books')
      expect(heard).to.deep.equal(['Serving', 'BeforeFetchCollection', 'AfterFetchCollection'])
    })

    it('calls AfterFetchOne for GET and HEAD', async () => {
      const client = await start({}, listening())
      await client.get('/books/1')
      await client.send('HEAD', '/books/1')
      expect(heard).to.deep.equal(['Serving', 'AfterFetchOne', 'Serving', 'AfterFetchOne'])
    })

    it('calls no hook for 404 and 403', async () => {
      const client = await start({ policy: ClosedPolicy }, listening())
      expect((await client.get('/books/99')).status).to.equal(404)
      expect((await client.get('/books/1')).status).to.equal(401)
      expect(heard).to.deep.equal(['Serving', 'Serving'])
    })

    it('passes whole rows to hooks under sparse fieldsets', async () => {
      const client = await start({
        afterFetchCollection(books) {
          heard.push(books.map(({ title, secret }) => `${title} ${secret}`).join())
          return undefined
        },
        afterFetchOne({ title, pages }) {
          heard.push(`${title} ${pages}`)
          return undefined
        },
      })
      const { body } = await client.get('/books?fields[books]=position')
      expect(body.data[0].attributes).to.deep.equal({ position: 1 })
      await client.get('/books/1?fields[books]=')
      await client.get('/books/2/shelf')
      await client.get('/books/2/relationships/shelf')
      expect(heard).to.deep.equal(['Emma a,Ulysses b,Walden c', 'Emma 10', 'Ulysses 20', 'Ulysses 20'])
    })

    it('passes the items of a page, or the one item of a singular filter', async () => {
      const client = await start({
        afterFetchCollection(books) {
          heard.push(books.map(({ id }) => id).join())
          return undefined
        },
      })
      await client.get('/books?page[number]=2&page[size]=2')
      expect((await client.get('/books?filter[title]=Walden')).body.data.id).to.equal('3')
      expect((await client.get('/books?filter[title]=Nothing')).body.data).to.equal(null)
      expect(heard).to.deep.equal(['3', '3', ''])
    })

    it('sends the response of a hook with the includes of its resources', async () => {
      const client = await start({
        afterFetchOne: (_book, { response }) => response && { ...response, meta: { read: true } },
        afterFetchCollection: (books, { response }) =>
          response.kind === 'data' && Array.isArray(response.data)
            ? { ...response, data: response.data.slice(1), meta: { of: books.length } }
            : undefined,
      })
      const one = (await client.get('/books/1?include=shelf')).body
      expect(one.meta).to.deep.equal({ read: true })
      expect(one.included).to.have.length(1)
      const many = (await client.get('/books?include=shelf&page[size]=2')).body
      expect(many.data.map(({ id }: { id: string }) => id)).to.deep.equal(['2'])
      expect(many.included.map(({ id }: { id: string }) => id)).to.deep.equal(['2'])
      expect(many.meta.of).to.equal(2)
    })

    it('sends a response without data instead of a resource', async () => {
      const client = await start(
        { afterFetchOne: () => ({ kind: 'meta', status: 200, meta: { gone: true } }) },
        { AfterFetchCollection: () => ({ kind: 'none', status: 204 }) },
      )
      const { body } = await client.get('/books/1?include=shelf')
      expect(body).to.have.keys('meta', 'links', 'jsonapi')
      expect((await client.get('/books')).status).to.equal(204)
    })

    it('returns the error that a hook throws', async () => {
      const client = await start(
        {
          afterFetchOne() {
            throw createError(403)
          },
        },
        {
          BeforeFetchCollection() {
            throw createError(409)
          },
        },
      )
      expect((await client.get('/books')).status).to.equal(409)
      expect((await client.get('/books/1')).status).to.equal(403)
      expect((await client.get('/books/1/shelf')).status).to.equal(403)
      expect((await client.get('/books/1/relationships/shelf')).status).to.equal(403)
    })

    it('calls AfterFetchOne for the parent of a related or relationship read and ignores its response', async () => {
      const client = await start({
        afterFetchOne({ id }, { response, type }) {
          heard.push(`${type} ${id} ${response === undefined}`)
          return { kind: 'none', status: 204 }
        },
      })
      expect((await client.get('/books/1/shelf')).body.data.id).to.equal('1')
      expect((await client.get('/books/1/relationships/shelf')).body.data.id).to.equal('1')
      expect(heard).to.deep.equal(['books 1 true', 'books 1 true'])
    })

    it('calls the events of the relation when it has a read ability of its own', async () => {
      const note = (name: EventName, { parent, relation, entity }: Row) =>
        parent
          ? `${name} ${(parent as Row).title} ${(relation as Row).name}`
          : `${name} ${(entity as Row)?.title ?? ''}`
      const client = await start({ ...guarded, policy: OpenPolicy }, listening(note))
      await client.get('/books/1/shelf')
      await client.get('/books/1/relationships/shelf')
      expect(heard.filter((event) => !event.startsWith('Serving'))).to.deep.equal([
        'BeforeFetchRelated Emma shelf',
        'BeforeFetchRelationship Emma shelf',
      ])
    })
  })

  describe('for operations of the program', () => {
    it('calls write events without a request, and no read events', async () => {
      await start(
        {},
        listening((name, { request }) => `${name} ${request}`),
      )
      const { app } = library
      await app.dispatch(programCreate('Howl'))
      await app.dispatch({ kind: 'FetchCollection', type: 'books' })
      expect(heard).to.deep.equal(['BeforeSave null', 'BeforeCreate null', 'AfterCreate null', 'AfterSave null'])
    })

    it('returns the response of a hook', async () => {
      await start({ afterCreate: () => ({ kind: 'none', status: 204 }) })
      expect(await library.app.dispatch(programCreate('Howl'))).to.deep.equal({ kind: 'none', status: 204 })
    })
  })

  describe('in a batch', () => {
    const send = (...titlesSent: unknown[]) =>
      library.client.post(
        '/operations',
        {
          'atomic:operations': titlesSent.map((title) => ({
            op: 'add',
            data: { type: 'books', attributes: { title } },
          })),
        },
        { accept: atomic, 'content-type': atomic },
      )
    const noting = () => listening((name, { entity }) => `${name} ${(entity as Book | undefined)?.title ?? ''}`.trim())

    it('calls Serving once, before-hooks per operation and after-hooks after the commit of the batch', async () => {
      await start({}, noting())
      expect((await send('Howl', 'Kaddish')).status).to.equal(200)
      expect(heard).to.deep.equal([
        'Serving',
        'BeforeSave Howl',
        'BeforeCreate Howl',
        'BeforeSave Kaddish',
        'BeforeCreate Kaddish',
        'AfterCreate Howl',
        'AfterSave Howl',
        'AfterCreate Kaddish',
        'AfterSave Kaddish',
      ])
    })

    it('calls no after-hook when the batch is rolled back', async () => {
      await start({}, noting())
      expect((await send('Howl', 7)).status).to.equal(422)
      expect(heard).to.deep.equal(['Serving', 'BeforeSave Howl', 'BeforeCreate Howl'])
      expect(await titles()).not.to.include('Howl')
    })

    it('ignores the responses of hooks', async () => {
      await start({ afterCreate: () => ({ kind: 'none', status: 204 }) })
      const { status, body } = await send('Howl')
      expect(status).to.equal(200)
      expect(body['atomic:results'][0].data.attributes.title).to.equal('Howl')
    })

    it('logs the error of an after-hook and calls the others', async () => {
      const failure = new Error('Broken.')
      const { logged, logger } = collectErrors()
      const fail = () => {
        throw failure
      }
      await start(
        { afterSave: () => void heard.push('afterSave') as undefined },
        { AfterCreate: [fail, fail] },
        { logger },
      )
      expect((await send('Howl', 'Kaddish')).status).to.equal(200)
      expect(heard).to.deep.equal(['afterSave', 'afterSave'])
      const entry = { err: failure, plugin: 'lifecycle', type: 'books', hook: 'afterCreate' }
      expect(logged).to.deep.equal([entry, entry, entry, entry])
      expect(await titles()).to.include.members(['Howl', 'Kaddish'])
    })
  })

  it('calls no after-hook when the write returns 202', async () => {
    const accepting: Plugin = {
      name: 'accepting',
      plan: addSteps({
        afterCommit: () => ({ kind: 'none', status: 202 }),
      }),
    }
    const list = [
      accepting,
      ...plugins.map((plugin) => (plugin.name === 'lifecycle' ? lifecycle({ on: listening() }) : plugin)),
    ]
    const client = await start({}, {}, { plugins: list })
    expect((await client.post('/books', howl)).status).to.equal(202)
    expect(heard).to.deep.equal(['Serving', 'BeforeSave', 'BeforeCreate'])
  })

  it('refuses to start when the plugin is disabled and a resource declares a hook', async () => {
    const note = () => void heard.push('called')
    const overrides = { beforeSave: note, afterFetchOne: () => note() as undefined }
    const error = await start(overrides, {}, { disabled: ['lifecycle'] }).catch((thrown: Error) => thrown)
    expect((error as Error).message.replace(/ \(.+?\)/g, '')).to.equal(
      [
        "books.beforeSave: needs the plugin 'lifecycle', which is off; without it 'beforeSave' would be ignored.",
        "books.afterFetchOne: needs the plugin 'lifecycle', which is off; without it 'afterFetchOne' would be ignored.",
      ].join('\n'),
    )
  })

  it('calls no listener when the plugin is disabled', async () => {
    const client = await start({}, listening(), { disabled: ['lifecycle'] })
    expect((await client.post('/books', howl)).status).to.equal(201)
    expect((await client.get('/books/1')).status).to.equal(200)
    expect(heard).to.deep.equal([])
  })

  it('selects no additional columns for types without hooks', async () => {
    const client = await start({ beforeSave: () => {} })
    const statements = await statementsOf(() => client.get('/books?fields[books]=title'))
    expect(statements.map(({ sql }) => sql).join()).not.to.match(/secret/)
  })
})

function collectErrors() {
  const logged: object[] = []
  return { logged, logger: { error: (details: object) => void logged.push(details), info: () => {}, warn: () => {} } }
}

type Overrides = Partial<ResourceDeclaration<Book>>

const eventNames: readonly EventName[] = [
  'Serving',
  'BeforeFetchCollection',
  'AfterFetchCollection',
  'AfterFetchOne',
  'BeforeFetchRelated',
  'BeforeFetchRelationship',
  'BeforeSave',
  'BeforeCreate',
  'BeforeUpdate',
  'BeforeDelete',
  'BeforeRelationshipMutate',
  'AfterCreate',
  'AfterUpdate',
  'AfterSave',
  'AfterDelete',
  'AfterRelationshipMutate',
]
const redTag = '11111111-1111-4111-8111-111111111111'
const blueTag = '22222222-2222-4222-8222-222222222222'
const atomic = `${mediaType}; ext="https://jsonapi.org/ext/atomic"`
const howl = { data: { type: 'books', attributes: { title: 'Howl' } } }
const retitle = (title: string) => ({ data: { type: 'books', id: '1', attributes: { title } } })

class OpenPolicy extends Policy<Book> {
  static override readonly needs = { view: [], shelve: [] }
  override viewAny = () => true
  override view = () => true
  override create = () => true
  override update = () => true
  override delete = () => true
  shelve = () => true
}
class ClosedPolicy extends OpenPolicy {
  override view = () => false
}

const guarded: Overrides = {
  fields: ({ id, string, belongsTo }) => [
    id(),
    string('title'),
    belongsTo('shelf', 'shelves').security({ read: 'shelve' }),
  ],
}

const tagged: Overrides = {
  fields: ({ id, string, belongsToMany }) => [id(), string('title'), belongsToMany('tags', 'tags')],
}

function declare(overrides: Overrides) {
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, string }) => [id(), string('name').required()],
  })
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, integer, belongsTo }) => [
      id(),
      string('title').required(),
      integer('position'),
      belongsTo('shelf', 'shelves'),
    ],
    filters: ({ where }) => [where('title').singular()],
    ...overrides,
  })
  const tags = defineResource(Tag, { type: 'tags', fields: ({ id, string }) => [id(), string('name')] })
  return [shelves, books, tags].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))
}

async function fillLibrary(): Promise<void> {
  await emptyLibrary()
  const connection = (await libraryDatabase()).orm.em.getConnection()
  await connection.execute(`insert into shelves (name) values ('Fiction'), ('Poetry')`)
  await connection.execute(
    `insert into books (title, secret, pages, shelf_id)
     values ('Emma', 'a', 10, 1), ('Ulysses', 'b', 20, 2), ('Walden', 'c', 30, null)`,
  )
  await connection.execute(`insert into tags (id, name) values ('${redTag}', 'red'), ('${blueTag}', 'blue')`)
}

async function count(table: string): Promise<unknown> {
  const connection = (await libraryDatabase()).orm.em.getConnection()
  const [row] = await connection.execute(`select count(*)::int as count from ${table}`)
  return row?.count
}

/** The committed rows, read beside every transaction. */
async function rows(): Promise<Row[]> {
  return (await libraryDatabase()).orm.em.getConnection().execute('select * from books order by id')
}

async function titles(): Promise<unknown[]> {
  return (await rows()).map(({ title }) => title)
}

function programCreate(title: string): Instruction {
  return { kind: 'Create', type: 'books', attributes: { title } }
}
