import { expect } from 'chai'
import createError from 'http-errors'
import type Koa from 'koa'
import { plugins } from '#app/plugins.ts'
import { defineResource } from '#kernel'
import { type App, addSteps, type DeclaredResource, type Plugin } from '#kernel/plugin'
import { lifecycle } from '#plugins/lifecycle/index.ts'
import { noContent } from '#plugins/responses/index.ts'
import { startApp, type TestApp, type TestAppOptions } from '#test/support/app.ts'
import {
  add,
  addAs,
  atomicHeaders,
  atomicMediaType,
  expectFailure,
  readResults,
  readTables,
  relate,
  remove,
  sendBatch,
  update,
} from '#test/support/batch.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { type Client, mediaType } from '#test/support/client.ts'
import { testDatabase } from '#test/support/database.ts'
import { fillLibrary, redTag } from '#test/template/specification/library-rows.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

// What a batch leaves behind and what it answers.

describe('A batch', () => {
  let client: Client
  const started: TestApp[] = []
  const send = (...operations: unknown[]) => sendBatch(client, operations)
  const start = async (options: TestAppOptions = {}) => {
    const app = await startLibrary({ resources, ...options })
    started.push(app)
    client = app.client
  }
  const rows = async (sql: string) => (await libraryDatabase()).orm.em.getConnection().execute(sql)

  beforeEach(fillLibrary)
  afterEach(async () => {
    for (const app of started.splice(0)) await app.close()
  })
  after(emptyLibrary)

  describe('with local ids', () => {
    it('14.6 creates a resource with the id of one that the batch has deleted', async () => {
      await start()
      const tag = { type: 'tags', id: red }
      const answer = await send(
        { op: 'add', data: { ...tag, attributes: { name: 'first' } } },
        remove(tag),
        { op: 'add', data: { ...tag, attributes: { name: 'second' } } },
        update(tag, { name: 'third' }),
      )
      expect(answer.status, answer.text).to.equal(200)
      expect(await rows(`select name from tags where id = '${red}'`)).to.deep.equal([{ name: 'third' }])
    })

    it('14.6 returns 404 for a lid whose resource the batch has deleted', async () => {
      await start()
      const gone = [addAs('a', 'tags', { name: 'a' }), remove({ type: 'tags', lid: 'a' })]
      const lid = { type: 'tags', lid: 'a' }
      for (const [operation, pointer] of [
        [update(lid, {}), ''],
        [remove(lid), ''],
        [relate('add', { type: 'books', id: '1', relationship: 'tags' }, [lid]), '/data/0'],
        [add('books', { title: 'x' }, { tags: [lid] }), '/data/relationships/tags/data/0'],
      ] as const) {
        const answer = await send(...gone, operation)
        expectFailure(answer, 404, 'RESOURCE_NOT_FOUND', `/atomic:operations/2${pointer}`)
      }
    })

    it('14.6 returns 404 at a polymorphic member that the batch has deleted', async () => {
      const { client: music } = await catalogue()
      const before = await readTables(await testDatabase())
      const answer = await sendBatch(music, [
        addAs('a', 'artists', { name: 'Low' }),
        remove({ type: 'artists', lid: 'a' }),
        relate('add', { type: 'libraries', id: '1', relationship: 'items' }, [{ type: 'artists', lid: 'a' }]),
      ])
      expectFailure(answer, 404, 'RESOURCE_NOT_FOUND', '/atomic:operations/2/data/0')
      expect(await readTables(await testDatabase())).to.deep.equal(before)
    })

    it('14.6 passes resolved ids and their meta to hooks', async () => {
      const heard: unknown[] = []
      const on = { BeforeRelationshipMutate: (event: { linkage: unknown }) => void heard.push(event.linkage) }
      await start({ plugins: withListeners(on) })
      const member = { type: 'tags', lid: 'a', meta: { note: 1 } }
      const answer = await send(
        { op: 'add', data: { type: 'tags', id: red, lid: 'a', attributes: { name: 'a' } } },
        relate('add', { type: 'books', id: '4', relationship: 'tags' }, [member]),
      )
      expect(answer.status, answer.text).to.equal(200)
      expect(heard).to.deep.equal([[{ ...member, id: red }]])
    })

    it('14.6 shows members that earlier operations have added and removed', async () => {
      await start()
      const members = { type: 'shelves', id: '2', relationship: 'books' }
      const answer = await send(
        addAs('a', 'books', { title: 'Howl' }),
        relate('add', members, [
          { type: 'books', lid: 'a' },
          { type: 'books', id: '4' },
        ]),
        relate('remove', members, [{ type: 'books', id: '4' }]),
        {
          op: 'update',
          data: { type: 'shelves', id: '2', relationships: { label: { data: { type: 'labels', id: '1' } } } },
        },
        remove({ type: 'books', id: '4' }),
      )
      expect(answer.status, answer.text).to.equal(200)
      expect(await rows('select title from books where shelf_id = 2')).to.deep.equal([{ title: 'Howl' }])
      expect(await rows('select shelf_id from labels')).to.deep.equal([{ shelf_id: 2 }])
      expect(await rows('select id from books where id = 4')).to.deep.equal([])
    })
  })

  describe('that fails', () => {
    const throwing = (error: unknown): Plugin => ({
      name: 'throwing',
      plan: addSteps({
        beforeSave({ target }) {
          if (target.type.name === 'books') throw error
        },
      }),
    })
    const batch = [add('shelves', { name: 'New' }), add('books', { title: 'New' })]
    const place = { pointer: '/atomic:operations/1' }

    for (const [what, error] of [
      ['an error', new TypeError('Broken')],
      ['an error that is frozen', Object.freeze(new Error('Broken'))],
      ['a text', 'Broken'],
      ['nothing', undefined],
    ] as const) {
      it(`14.7 returns the pointer of the operation when ${what} is thrown unexpectedly`, async () => {
        await start({ plugins: [...plugins, throwing(error)] })
        const answer = await send(...batch)
        expect(answer.body.errors).to.deep.equal([{ status: '500', title: 'Internal Server Error', source: place }])
        expect(answer.headers.get('content-type')).to.equal(atomicMediaType)
        expect(await rows(`select name from shelves where name = 'New'`)).to.deep.equal([])
      })
    }

    it('14.7 returns the pointer of the operation without the exceptions plugin, and with traces', async () => {
      await start({ plugins: [...plugins, throwing(new TypeError('Broken'))], config: { debug: true } })
      const [traced] = (await send(...batch)).body.errors
      expect(traced).to.deep.include({ detail: 'Broken', source: place })
      await start({ plugins: [...plugins, throwing(new TypeError('Broken'))], disabled: ['error-mapping'] })
      const [bare] = (await send(...batch)).body.errors
      expect(bare).to.deep.equal({ status: '500', title: 'Internal Server Error', source: place })
    })

    it('14.7 returns no pointer when a single request throws the same error', async () => {
      await start({ plugins: [...plugins, throwing(createError(403, 'No'))] })
      expect((await send(...batch)).body.errors[0].source).to.deep.equal(place)
      const data = { type: 'books', attributes: { title: 'New' } }
      expect((await client.post('/books', { data })).body.errors[0]).not.to.have.property('source')
    })

    it('14.7 returns the status of the operation, also for several errors', async () => {
      await start()
      const answer = await send(add('shelves', { name: 'New' }), add('books', { title: '', position: 'x' }))
      expect(answer.status).to.equal(422)
      expect(answer.body.errors.map(({ source }: { source: object }) => source)).to.have.deep.members([
        { pointer: '/atomic:operations/1/data/attributes/title' },
        { pointer: '/atomic:operations/1/data/attributes/position' },
      ])
    })

    it('14.7 is rolled back when an operation returns an error response', async () => {
      const response = { kind: 'error', status: 418, errors: [{ status: '418', title: 'No' }] } as const
      const refusing: Plugin = {
        name: 'refusing',
        plan: addSteps({
          async afterSave({ target }) {
            return target.type.name === 'books' ? response : undefined
          },
        }),
      }
      await start({ plugins: [...plugins, refusing] })
      const answer = await send(...batch)
      expect(answer.status).to.equal(418)
      expect(answer.body.errors).to.deep.equal([{ status: '418', title: 'No', source: place }])
      const alone = await client.post('/books', { data: { type: 'books', attributes: { title: 'New' } } })
      expect([alone.status, alone.body.errors]).to.deep.equal([418, [{ status: '418', title: 'No' }]])
      expect(await rows(`select name from shelves where name = 'New'`)).to.deep.equal([])
      expect(await rows(`select title from books where title = 'New'`)).to.deep.equal([])
    })

    it('14.7 returns no pointer when the commit fails', async () => {
      await rows('alter table books add constraint late unique (position, title) deferrable initially deferred')
      try {
        await start()
        const answer = await send(add('books', { title: 'Emma', position: 3 }), add('books', { title: 'New' }))
        expect(answer.status, answer.text).to.equal(409)
        expect(answer.body.errors[0]).not.to.have.property('source')
        expect(await rows(`select title from books where title = 'New'`)).to.deep.equal([])
      } finally {
        await rows('alter table books drop constraint late')
      }
    })

    it('2.1 reports faults of its query before those of its operations', async () => {
      await start()
      const answer = await sendBatch(client, 'nothing', '/operations?sort=title')
      expect(answer.body.errors[0].code).to.equal('SORTING_UNSUPPORTED')
    })
  })

  describe('that succeeds', () => {
    it('14.8 has empty results for removals, relationship writes and 204 responses', async () => {
      await start()
      const answer = await send(
        add('shelves', { name: 'New' }),
        add('silents', { name: 'new' }),
        update({ type: 'silents', id: redTag }, { name: 'crimson' }),
        remove({ type: 'books', id: '4' }),
        relate('update', { type: 'books', id: '1', relationship: 'shelf' }, null),
      )
      const [shelf, ...others] = answer.body['atomic:results']
      expect(shelf.data.links).to.deep.equal({ self: `${client.url}/shelves/${shelf.data.id}` })
      expect(others).to.deep.equal([{}, {}, {}, {}])
      expect(answer.body.links.self).to.equal(`${client.url}/operations`)
      const silent = await send(add('silents', { name: 'other' }), remove({ type: 'books', id: '3' }))
      expect([silent.status, silent.text]).to.deep.equal([204, ''])
    })

    it('14.8 keeps the meta of a response, and drops its headers', async () => {
      const noting: Plugin = {
        name: 'noting',
        plan: addSteps({
          async afterCommit({ kind }, response) {
            return { ...response, meta: { kind }, headers: { 'X-Note': '1' } }
          },
        }),
      }
      await start({ plugins: [...plugins, noting] })
      const answer = await send(add('shelves', { name: 'New' }), remove({ type: 'books', id: '4' }))
      expect(answer.body['atomic:results'][0].meta).to.deep.equal({ kind: 'Create' })
      expect(answer.body['atomic:results'][1]).to.deep.equal({})
      expect(answer.headers.has('x-note')).to.equal(false)
      expect(answer.headers.has('location')).to.equal(false)
    })

    it('14.9 returns 422 when an operation returns 202', async () => {
      const accepting: Plugin = {
        name: 'accepting',
        plan: addSteps({
          async afterSave({ target }) {
            return target.type.name === 'books' ? { kind: 'meta', status: 202, meta: {} } : undefined
          },
        }),
      }
      await start({ plugins: [...plugins, accepting] })
      for (const operation of [add('books', { title: 'New' }), update({ type: 'books', id: '1' }, { title: 'New' })]) {
        const answer = await send(add('shelves', { name: 'New' }), operation)
        expectFailure(answer, 422, 'ASYNC_WRITE_IN_ATOMIC_OPERATION', '/atomic:operations/1')
      }
      expect(await rows(`select name from shelves where name = 'New'`)).to.deep.equal([])
      expect(await rows(`select title from books where title = 'New'`)).to.deep.equal([])
    })
  })

  describe('and its query', () => {
    const ask = (query: string) => sendBatch(client, [add('artists', { name: 'Low' })], `/operations?${query}`)
    beforeEach(async () => {
      client = (await catalogue()).client
    })

    it('9.3 applies sparse fieldsets', async () => {
      expect(readResults(await ask('fields[artists]=name'))[0]).to.have.all.keys('type', 'id', 'attributes', 'links')
      expect(readResults(await ask('fields[artists]=name'))[0]?.attributes).to.deep.equal({ name: 'Low' })
      expect((await ask('fields[artists]=unknown')).body.errors[0].code).to.equal('FIELDSET_MEMBER_UNRECOGNIZED')
    })

    it('9.3 accepts and ignores include and page', async () => {
      const answer = await ask('include=albums,unknown&page[size]=1&page[number]=7')
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.body).not.to.have.property('included')
    })

    for (const [query, code, parameter] of [
      ['sort=name', 'SORTING_UNSUPPORTED', 'sort'],
      ['filter[slug]=x', 'FILTERING_UNRECOGNIZED', 'filter[slug]'],
      ['withCount=albums', 'RELATIONSHIP_COUNT_NOT_ALLOWED', 'withCount'],
      ['withCount=_self_', 'RELATIONSHIP_COUNT_NOT_ALLOWED', 'withCount'],
      ['relatedQuery[albums][sort]=title', 'QUERY_PARAM_UNRECOGNIZED', 'relatedQuery'],
      ['foo=1', 'QUERY_PARAM_UNRECOGNIZED', 'foo'],
      ['fooBar=1', 'QUERY_PARAM_UNRECOGNIZED', 'fooBar'],
    ] as const) {
      it(`9.3 returns 400 for ${query}`, async () => {
        const before = await readTables(await testDatabase())
        const answer = await ask(query)
        expect(answer.status).to.equal(400)
        expect(answer.body.errors[0]).to.deep.include({ code, source: { parameter } })
        expect(answer.headers.get('content-type')).to.equal(atomicMediaType)
        expect(await readTables(await testDatabase())).to.deep.equal(before)
      })
    }
  })

  describe('and its extension', () => {
    it('14.10 is named in errors of the server, unless the extension was not negotiated', async () => {
      const closed = async () => {
        throw createError(401, { headers: { 'WWW-Authenticate': 'Bearer' } })
      }
      await start({ servers: { default: { middleware: [closed] } } })
      const refused = await send(add('shelves', { name: 'New' }))
      expect([refused.status, refused.headers.get('content-type')]).to.deep.equal([401, atomicMediaType])
      await start()
      const body = { 'atomic:operations': [] }
      const unsupported = await client.post('/operations', body, { ...atomicHeaders, 'content-type': mediaType })
      expect([unsupported.status, unsupported.headers.get('content-type')]).to.deep.equal([415, mediaType])
      const unacceptable = await client.post('/operations', body, { ...atomicHeaders, accept: mediaType })
      expect([unacceptable.status, unacceptable.headers.get('content-type')]).to.deep.equal([406, mediaType])
    })

    it('14.1 is refused everywhere when the plugin is disabled, and its path returns 404', async () => {
      await start({ disabled: ['atomic'] })
      const answer = await send(add('shelves', { name: 'New' }))
      expect([answer.status, answer.body]).to.deep.equal([404, null])
      const data = { type: 'shelves', attributes: { name: 'New' } }
      expect((await client.post('/shelves', { data }, { 'content-type': atomicMediaType })).status).to.equal(415)
      expect((await client.get('/shelves', { accept: atomicMediaType })).status).to.equal(406)
      expect((await client.get('/shelves/1', { accept: `${mediaType}, ${atomicMediaType}` })).status).to.equal(200)
    })

    it('14.11 returns 500 when the store has no transactions', async () => {
      const { client: other, app, close } = await startLibrary({ resources })
      started.push({ client: other, app, close })
      Object.assign(app.store, { transactional: false })
      const answer = await sendBatch(other, [add('shelves', { name: 'New' })])
      expect(answer.status).to.equal(500)
      expect(answer.body.errors[0].code).to.equal('ATOMIC_OPERATIONS_UNAVAILABLE')
      expect(answer.body.errors[0]).not.to.have.property('source')
      expect(answer.headers.get('content-type')).to.equal(atomicMediaType)
    })
  })

  describe('and hooks', () => {
    it('15.3 runs hooks before each write and, in the same order, after the commit', async () => {
      const heard: string[] = []
      const note = (name: string) => async (event: object) => {
        const { entity, parent } = event as { entity?: { title?: string }; parent?: { id: number } }
        const [{ count } = { count: 0 }] = name.startsWith('After') ? await rows('select count(*)::int from books') : []
        heard.push(`${name} ${entity?.title ?? parent?.id}${count ? ` of ${count}` : ''}`)
        return undefined
      }
      const names = ['Create', 'Update', 'Delete', 'RelationshipMutate']
      const on = Object.fromEntries(
        names.flatMap((name) => [`Before${name}`, `After${name}`]).map((name) => [name, note(name)]),
      )
      await start({ plugins: withListeners(on) })
      const batch = [
        addAs('a', 'books', { title: 'Howl' }),
        update({ type: 'books', lid: 'a' }, { title: 'Kaddish' }),
        relate('update', { type: 'books', id: '1', relationship: 'shelf' }, null),
        remove({ type: 'books', id: '2' }),
      ]
      expectFailure(
        await send(...batch, add('books', {})),
        422,
        'VALIDATION_FAILED',
        '/atomic:operations/4/data/attributes',
      )
      const before = [
        'BeforeCreate Howl',
        'BeforeUpdate Kaddish',
        'BeforeRelationshipMutate 1',
        'BeforeDelete Persuasion',
      ]
      expect(heard.splice(0)).to.deep.equal(before)
      expect((await send(...batch)).status).to.equal(200)
      expect(heard).to.deep.equal([
        ...before,
        'AfterCreate Howl of 4',
        'AfterUpdate Kaddish of 4',
        'AfterRelationshipMutate 1 of 4',
        'AfterDelete Persuasion of 4',
      ])
    })

    it('15.3 runs the stage authorize once, and no operation if it throws', async () => {
      let served = 0
      const on = {
        Serving() {
          served++
          if (served > 1) throw createError(429, 'Later')
        },
      }
      await start({ plugins: withListeners(on) })
      const batch = [add('shelves', { name: 'New' }), add('shelves', { name: 'New' })]
      expect((await send(...batch)).status).to.equal(200)
      const refused = await send(...batch)
      expect(refused.status).to.equal(429)
      expect(refused.body.errors[0]).not.to.have.property('source')
      expect(served).to.equal(2)
    })

    it('15.3 keeps its response whatever hooks return or throw after the commit, and logs their errors', async () => {
      const logged: object[] = []
      const logger = { error: (details: object) => void logged.push(details), info() {}, warn() {} } as App['logger']
      const heard: string[] = []
      const failing: Plugin = {
        name: 'failing',
        plan: addSteps({
          async afterCommit({ input }) {
            heard.push(`failing ${input?.attributes?.name}`)
            throw new Error('Broken')
          },
        }),
      }
      const listening: Plugin = {
        name: 'listening',
        plan: addSteps({
          async afterCommit({ input }) {
            heard.push(`listening ${input?.attributes?.name}`)
            return undefined
          },
        }),
      }
      const on = { AfterCreate: async () => ({ kind: 'none', status: 204 }) as const }
      await start({ plugins: [failing, ...withListeners(on), listening], logger })
      const results = readResults(await send(add('shelves', { name: 'a' }), add('shelves', { name: 'b' })))
      expect(results.map(({ attributes }) => attributes?.name)).to.deep.equal(['a', 'b'])
      expect(heard).to.deep.equal(['failing a', 'listening a', 'failing b', 'listening b'])
      expect(logged).to.have.length(2)
      expect(logged[0]).to.include({ plugin: 'failing' }).and.to.have.property('err')
    })
  })

  it('authorizes each of its operations', async () => {
    const playlist = { type: 'playlists', id: '00000000-0000-4000-8000-000000000001' }
    const as =
      (identifier: string, ...roles: string[]) =>
      async (ctx: Koa.Context, next: Koa.Next) => {
        ctx.state.principal = { identifier, roles }
        await next()
      }
    const servers = { default: { middleware: [as('mallory@example.com', 'user')] }, admin: { prefix: '/admin' } }
    const app = await startApp({ servers })
    started.push(app)
    const before = await readTables(await testDatabase())
    for (const operation of [
      update(playlist, { title: 'Mine' }),
      remove(playlist),
      relate('add', { ...playlist, relationship: 'tracks' }, [{ type: 'tracks', id: '3' }]),
    ]) {
      const answer = await sendBatch(app.client, [add('artists', { name: 'Low' }), operation])
      expect(answer.status, answer.text).to.equal(403)
      expect(answer.body.errors[0].source).to.deep.equal({ pointer: '/atomic:operations/1' })
    }
    expect(await readTables(await testDatabase())).to.deep.equal(before)
  })
})

const red = '11111111-1111-4111-8111-111111111111'

function withListeners(on: NonNullable<Parameters<typeof lifecycle>[0]>['on']): Plugin[] {
  return plugins.map((plugin) => (plugin.name === 'lifecycle' ? lifecycle({ ...(on && { on }) }) : plugin))
}

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string, hasMany, hasOne }) => [
    id(),
    string('name').required(),
    hasMany('books', 'books'),
    hasOne('label', 'labels'),
  ],
})
const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, integer, belongsTo, belongsToMany }) => [
    id(),
    string('title').required(),
    integer('position'),
    belongsTo('shelf', 'shelves'),
    belongsToMany('tags', 'tags'),
  ],
})
const tags = defineResource(Tag, {
  type: 'tags',
  fields: ({ id, string }) => [id().uuid().allowClientId().generated(), string('name').required()],
})
const silents = defineResource(Tag, {
  type: 'silents',
  fields: ({ id, string }) => [id().uuid().generated(), string('name').required()],
  create: noContent(),
  update: noContent(),
})

const labels = defineResource(Label, { type: 'labels', fields: ({ id, string }) => [id(), string('text')] })

const resources: readonly DeclaredResource[] = [shelves, books, tags, silents, labels].map((resource) => ({
  file: 'plugins/atomic/outcome.test.ts',
  resource,
}))
