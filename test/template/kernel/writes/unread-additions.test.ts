import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { type Condition, compare, defineResource, exists, never } from '#kernel'
import type { Plugin } from '#kernel/plugin'
import type { Database } from '#store'
import { startApp, type TestApp } from '#test/support/app.ts'
import { sendBatch } from '#test/support/batch.ts'
import { openTestDatabase } from '#test/support/database.ts'
import { statementsOf } from '#test/support/statements.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

// Members are added to a join table without a read of the parent before: the statement that adds them locks the parent.

const tagId = (number: number | string) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

describe('POST of members to a relationship whose parent is not needed', () => {
  const scopes = new Map<string, Condition>()
  const shown = new Map<string, boolean>()
  const narrowing: Plugin = {
    name: 'narrowing',
    planType({ scope }) {
      scope.push({ of: 'addressed', condition: ({ name }) => scopes.get(name) })
      scope.push({ of: 'visible', condition: ({ name }) => ((shown.get(name) ?? true) ? undefined : never) })
    },
  }
  let library: TestApp
  const execute = async (sql: string) => (await libraryDatabase()).orm.em.getConnection().execute(sql)
  before(async () => {
    await emptyLibrary()
    library = await startLibrary({ plugins: [...plugins, narrowing] })
  })
  beforeEach(async () => {
    scopes.clear()
    shown.clear()
    await emptyLibrary()
    await execute("insert into books (id, title) values (1, 'Emma'), (2, 'Persuasion')")
    const tags = ['novel', 'irony', 'regency'].map((name, index) => `('${tagId(index + 1)}', '${name}')`)
    await execute(`insert into tags (id, name) values ${tags}`)
    await execute(`insert into book_tags (book_id, tag_id) values (1, '${tagId(1)}')`)
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  const path = (id: string) => `/books/${id}/relationships/tags`
  const identifiers = (ids: readonly string[]) => ids.map((id) => ({ type: 'tags', id: tagId(id) }))
  /** Adds tags to a book. Returns the response and the number of statements. */
  const add = async (id: string, ...ids: string[]) => {
    let response: Awaited<ReturnType<typeof library.client.post>> | undefined
    const statements = await statementsOf(async () => {
      response = await library.client.post(path(id), { data: identifiers(ids) })
    })
    return { ...(response as NonNullable<typeof response>), statements: statements.length }
  }
  const stored = async () => {
    const rows = await execute('select book_id, tag_id from book_tags order by book_id, tag_id')
    return rows.map(({ book_id, tag_id }: Record<string, unknown>) => `${book_id}-${String(tag_id).at(-1)}`)
  }

  it('sends one statement that adds the members, and one that reads all of them', async () => {
    const { status, body, statements } = await add('1', '2', '3')
    expect([status, statements]).to.deep.equal([200, 2])
    expect(body.data).to.deep.equal(identifiers(['1', '2', '3']))
    expect(await stored()).to.deep.equal(['1-1', '1-2', '1-3'])
  })

  it('keeps members that exist already', async () => {
    const { status, body, statements } = await add('1', '1', '2')
    expect([status, statements]).to.deep.equal([200, 2])
    expect(body.data).to.deep.equal(identifiers(['1', '2']))
  })

  it('adds a member once when it is sent twice', async () => {
    expect((await add('1', '2', '2')).status).to.equal(200)
    expect(await stored()).to.deep.equal(['1-1', '1-2'])
  })

  it('returns 404 and adds nothing when the parent is missing, also when a member is', async () => {
    const missing = [await add('404', '2'), await add('404', '404')]
    for (const { status, body } of missing) {
      expect([status, body.errors[0].code]).to.deep.equal([404, 'RESOURCE_NOT_FOUND'])
      expect(body.errors[0].source).to.equal(undefined)
    }
    expect(await stored()).to.deep.equal(['1-1'])
  })

  it('returns 404 with a pointer and adds nothing when one of the members is missing', async () => {
    const { status, body } = await add('1', '2', '404')
    expect([status, body.errors[0].source.pointer]).to.deep.equal([404, '/data/1'])
    expect(await stored()).to.deep.equal(['1-1'])
  })

  it('returns 404 and adds nothing when the parent is out of scope', async () => {
    scopes.set('books', compare('title', '=', 'Persuasion'))
    expect((await add('1', '2')).status).to.equal(404)
    expect((await add('2', '2')).status).to.equal(200)
    expect(await stored()).to.deep.equal(['1-1', '2-2'])
  })

  it('returns 404 and adds nothing when a member is out of scope', async () => {
    scopes.set('tags', compare('name', '!=', 'irony'))
    expect((await add('1', '2')).status).to.equal(404)
    expect((await add('1', '3')).status).to.equal(200)
    expect(await stored()).to.deep.equal(['1-1', '1-3'])
  })

  it('returns 404 and adds nothing when a filter of the entity hides the parent', async () => {
    await execute('update books set deleted_at = now() where id = 1')
    expect((await add('1', '2')).status).to.equal(404)
    expect(await stored()).to.deep.equal(['1-1'])
  })

  it('adds to a parent that collections do not show, and sees no member through such a parent', async () => {
    shown.set('books', false)
    expect((await add('1', '2')).status).to.equal(200)
    const books = library.app.registry.types.get('tags')?.relations.find(({ name }) => name === 'books')
    scopes.set('tags', exists(books as NonNullable<typeof books>))
    expect((await add('1', '1')).status).to.equal(404)
    expect(await stored()).to.deep.equal(['1-1', '1-2'])
  })

  it('returns 409 and adds nothing when a member has another type', async () => {
    const { status } = await library.client.post(path('1'), { data: [{ type: 'books', id: '2' }] })
    expect(status).to.equal(409)
    expect(await stored()).to.deep.equal(['1-1'])
  })

  it('adds nothing for an empty list', async () => {
    const { status, body } = await add('1')
    expect([status, body.data]).to.deep.equal([200, identifiers(['1'])])
  })

  it('adds members in a batch', async () => {
    const operations = ['2', '3'].map((id) => ({
      op: 'add',
      href: path('1'),
      data: identifiers([id]),
    }))
    const { status } = await sendBatch(library.client, operations)
    expect(status).to.equal(204)
    expect(await stored()).to.deep.equal(['1-1', '1-2', '1-3'])
  })
})

describe('POST of members whose tables and columns are named like parts of the statement', () => {
  let database: Database
  let app: TestApp

  before(async () => {
    database = await openTestDatabase({ entities: [Page], migrations: [] })
    await database.orm.schema.create()
    const resources = [{ file: 'test/template/kernel/writes/unread-additions.test.ts', resource: pages }]
    app = await startApp({ resources, database, onWrite: () => {} })
    await database.orm.em.getConnection().execute("insert into locked (title) values ('a'), ('b'), ('c')")
  })
  after(async () => {
    await app.close()
    await database.close()
  })

  it('adds them to those of each parent, which may be a member as well', async () => {
    const data = ['1', '2', '3'].map((id) => ({ type: 'pages', id }))
    for (const id of ['1', '2']) {
      const path = `/pages/${id}/relationships/links`
      expect((await app.client.post(path, { data: data.slice(0, 1) })).status).to.equal(200)
      const { status, body } = await app.client.post(path, { data })
      expect([status, body.data]).to.deep.equal([200, data])
    }
  })

  it('replaces them', async () => {
    const data = [{ type: 'pages', id: '3' }]
    const { status, body } = await app.client.patch('/pages/1/relationships/links', { data })
    expect([status, body.data]).to.deep.equal([200, data])
    expect((await app.client.get('/pages/2/relationships/links')).body.data).to.have.length(3)
  })
})

const pageSchema = defineEntity({
  name: 'Page',
  tableName: 'locked',
  properties: {
    id: p.integer().primary(),
    title: p.string().length(40),
    links: () => p.manyToMany(Page).owner().pivotTable('visible').joinColumn('parent').inverseJoinColumn('key'),
  },
})
class Page extends pageSchema.class {}
pageSchema.setClass(Page)

const pages = defineResource(Page, {
  type: 'pages',
  fields: ({ id, string, belongsToMany }) => [id(), string('title'), belongsToMany('links', 'pages')],
})
