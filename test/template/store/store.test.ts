import { setImmediate as turn } from 'node:timers/promises'
import { raw } from '@mikro-orm/core'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { all, any, type Condition, compare, exists, isIn, native, not, type Relation, textMatch } from '#kernel'
import { type App, addSteps, type Context, type Plugin } from '#kernel/plugin'
import { emOf } from '#store'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { createConditionPlugin } from '#test/template/support/condition-plugin.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { Loan, lendingResources } from '#test/template/support/library/loans.ts'
import { publicationResources } from '#test/template/support/library/publications.ts'
import { libraryResources } from '#test/template/support/library/resources.ts'
import { Sample, specimenResources } from '#test/template/support/library/specimens.ts'
import { scopeSteps } from '#test/template/support/type-steps.ts'
import { withoutNeeds } from '#test/template/support/without-needs.ts'

// The store below HTTP: conditions, entity filters, constraint violations, units of work.

describe('Conditions', () => {
  const narrowing = createConditionPlugin()
  let app: App
  let client: Client
  let close: () => Promise<void>
  let failure: string | undefined

  before(async () => {
    const logger = {
      error({ err }: { err?: Error }) {
        failure = err?.message
      },
      warn() {},
      info() {},
    }
    const library = await startLibrary({ plugins: [...plugins, narrowing.plugin], logger })
    app = library.app
    client = library.client
    close = library.close
    await loadLibrary()
  })
  after(() => close())

  const idsWhere = (condition: Condition, path = '/books') =>
    narrowing.during(condition, async () => {
      const { status, body } = await client.get(`${path}?page[size]=50&sort=${path === '/books' ? 'position' : ''}`)
      expect(status).to.equal(200)
      return body.data.map(({ id }: { id: string }) => id)
    })
  const relation = (type: string, name: string) => app.registry.types.get(type)?.fields.get(name) as Relation
  const first = compare('position', '=', 1)

  it('match rows across a many-to-many relation, from either side', async () => {
    expect(await idsWhere(exists(relation('books', 'tags'), compare('name', '=', 'old')))).to.deep.equal(['1', '3'])
    expect(await idsWhere(exists(relation('books', 'tags'), isIn('name', ['old', 'new'])))).to.deep.equal(['1', '3'])
    const tags = await idsWhere(exists(relation('tags', 'books'), first), '/tags')
    expect(tags).to.deep.equal([tagId(1), tagId(2)])
  })

  it('match rows by the inverse side of a one-to-one', async () => {
    expect(await idsWhere(exists(relation('shelves', 'label')), '/shelves')).to.deep.equal(['2'])
    expect(await idsWhere(exists(relation('shelves', 'label'), compare('text', '=', 'none')), '/shelves')).to.be.empty
  })

  it('filter a related collection and the target of a to-one like a collection', async () => {
    expect(await idsWhere(compare('rating', '<', 3), '/shelves/1/allBooks')).to.deep.equal(['1'])
    const target = await narrowing.during(compare('name', '=', 'South'), () => client.get('/books/1/shelf'))
    expect(target.body.data).to.equal(null)
  })

  it('compile a plain filter of MikroORM without a subselect', async () => {
    const found: [object, readonly string[]][] = [
      [{ position: 2 }, ['2']],
      [{ position: { $gt: 1, $lte: 3 } }, ['2', '3']],
      [{ rating: null }, ['4', '5']],
      [{ rating: { $ne: null } }, ['1', '2', '3']],
      [{ rating: { $ne: 3.5 } }, ['1', '3']],
      [{ position: { $in: [1, 5] } }, ['1', '5']],
      [{ $or: [{ position: 1 }, { $and: [{ position: 3 }, { rating: { $gte: 4 } }] }] }, ['1', '3']],
      [{ printedAt: new Date('2024-01-01T00:00:00Z') }, ['1']],
      [{ printedAt: { $in: [new Date('2024-01-01T00:00:00Z')] } }, ['1']],
      [{}, ['1', '2', '3', '4', '5']],
    ]
    for (const [filter, ids] of found) {
      expect(await idsWhere(native(filter)), JSON.stringify(filter)).to.deep.equal(ids)
      const sent = await statementsOf(() => idsWhere(native(filter)))
      expect(sent[0]?.sql, 'no subselect').not.to.contain(' in (select')
    }
  })

  it('compile any other filter of MikroORM as a subselect with bound values', async () => {
    const found: [object, readonly string[]][] = [
      [{ shelf: 1 }, ['1', '2']],
      [{ shelf: { name: 'North' } }, ['1', '2']],
      [{ tags: { name: 'old' } }, ['1', '3']],
      [{ tags: { name: ['old', 'new'] } }, ['1', '3']],
      [{ $not: { position: 1 } }, ['2', '3', '4', '5']],
      [{ title: { $like: '%?%' } }, ['2']],
      [{ title: "Is it '?'" }, []],
      [{ $and: [{ shelf: { name: 'North' } }, { title: { $like: 'The%' } }] }, ['1']],
      [{ position: [1, 2] }, ['1', '2']],
    ]
    for (const [filter, ids] of found) expect(await idsWhere(native(filter)), JSON.stringify(filter)).to.deep.equal(ids)
    const fragments: [object, readonly string[]][] = [
      [{ [raw("jsonb_build_object(title, 1) \\? 'The first'")]: [] }, ['1']],
      [{ [raw('jsonb_build_object(title, ?::int) \\? ?', [1, 'The first'])]: [] }, ['1']],
      [{ [raw('?? between ? and ?', ['position', 2, 3])]: [] }, ['2', '3']],
      [{ position: { $gt: raw('?::int + ?', [1, raw('?::int', [2])]) } }, ['4', '5']],
    ]
    for (const [index, [filter, ids]] of fragments.entries()) {
      expect(await idsWhere(native(filter)), `fragment ${index}`).to.deep.equal(ids)
    }
    const [sent] = await statementsOf(() => idsWhere(native({ shelf: { name: `'; drop table books --` } })))
    expect(sent?.sql).to.contain(' in (select').and.not.to.contain('drop')
    expect(sent?.parameters).to.include(`'; drop table books --`)
  })

  it('are a 500 whose log names the function if a fragment has not one value for each placeholder', async () => {
    const faulty: [string, number[], string][] = [
      ['position = ? + ?', [1], '2 placeholders and 1 values'],
      ['position = ?', [1, 2], '1 placeholders and 2 values'],
      ["position = ? and ?? = '\\?'", [], '2 placeholders and 0 values'],
    ]
    for (const [sql, values, counts] of faulty) {
      failure = undefined
      const filter = native({ [raw(sql, values)]: [] }, 'BookPolicy.scope')
      expect((await narrowing.during(filter, () => client.get('/books'))).status).to.equal(500)
      expect(failure).to.match(
        /^BookPolicy\.scope returned a filter that cannot be compiled\. The SQL fragment '.*position = \?/,
      )
      expect(failure).to.include(`' has ${counts}; `)
    }
  })

  it('do not share cached statements with other conditions that bind no values', async () => {
    const found: [Condition, readonly string[]][] = [
      [native({ shelf: null }), ['5']],
      [native({ shelf: { $ne: null } }), ['1', '2', '3', '4']],
      [not(native({ rating: null })), ['1', '2', '3']],
      [not(native({ rating: { $ne: null } })), ['4', '5']],
      [any(native({ rating: null }), native({ shelf: null })), ['4', '5']],
      [any(native({ shelf: null }), native({ printedAt: { $ne: null } })), ['1', '5']],
    ]
    for (const [condition, ids] of found) {
      expect(await idsWhere(condition), JSON.stringify(condition)).to.deep.equal(ids)
    }
  })

  it('bind text with SQL in it as a value', async () => {
    const text = `' or true; drop table books; -- \\ $1 ? ::`
    expect(await idsWhere(compare('title', '=', text))).to.deep.equal([])
    expect(await idsWhere(textMatch('title', 'contains', text))).to.deep.equal([])
    expect(await idsWhere(isIn('title', [text, '"}', 'The first']))).to.deep.equal(['1'])
    expect(await idsWhere(native({ title: text }))).to.deep.equal([])
  })
})

describe('Filters of an entity that are on by default', () => {
  const narrowing = createConditionPlugin()
  let app: App
  let client: Client
  let close: () => Promise<void>

  before(async () => {
    const library = await startLibrary({ resources: lendingResources, plugins: [...plugins, narrowing.plugin] })
    app = library.app
    client = library.client
    close = library.close
  })
  after(() => close())
  beforeEach(loadLibrary)

  const deleted = { type: 'books', id: '6' }

  it('hide a row from the collection and by its URL', async () => {
    expect(readIds(await client.get('/books?page[size]=50'))).to.deep.equal(['1', '2', '3', '4', '5'])
    for (const path of ['/books/6', '/books/6/shelf', '/books/6/relationships/tags']) {
      expect((await client.get(path)).body.errors[0], path).to.include({ status: '404', code: 'RESOURCE_NOT_FOUND' })
    }
  })

  it('hide it from related and linkage endpoints', async () => {
    const paths = ['/shelves/1/allBooks', '/shelves/1/relationships/books', `/tags/${tagId(1)}/relationships/books`]
    for (const path of paths) expect(readIds(await client.get(path)), path).not.to.include('6')
    expect((await client.get('/loans/1/book')).body.data).to.equal(null)
    expect((await client.get('/loans/1/relationships/book')).body.data).to.equal(null)
  })

  it('hide it from included resources and their linkage', async () => {
    for (const path of ['/shelves?include=allBooks', '/shelves?include=books', '/tags?include=books', '/tags']) {
      expect(JSON.stringify((await client.get(path)).body), path).not.to.contain('Deleted')
      expect(JSON.stringify((await client.get(path)).body), path).not.to.contain('"id":"6"')
    }
    const { data, included } = (await client.get('/loans?include=book')).body
    expect(data[0].relationships.book.data).to.equal(null)
    expect(included.map(({ id }: { id: string }) => id)).to.deep.equal(['1'])
  })

  it('hide it from a condition on a relation', async () => {
    const books = app.registry.types.get('shelves')?.fields.get('books') as Relation
    const hasDeleted = exists(books, compare('title', '=', 'Deleted'))
    for (const condition of [hasDeleted, all(compare('id', '>', 0), hasDeleted)]) {
      expect(readIds(await narrowing.during(condition, () => client.get('/shelves')))).to.deep.equal([])
    }
  })

  it('hide it from a write, as its subject and as its target', async () => {
    const patch = await client.patch('/books/6', { data: { ...deleted, attributes: { title: 'Back' } } })
    expect(patch.body.errors[0]).to.include({ status: '404', code: 'RESOURCE_NOT_FOUND' })
    expect((await client.delete('/books/6')).status).to.equal(404)
    const data = { type: 'loans', attributes: { reader: 'Ada' }, relationships: { book: { data: deleted } } }
    const post = await client.post('/loans', { data })
    expect(post.body.errors[0]).to.deep.include({
      status: '404',
      code: 'RESOURCE_NOT_FOUND',
      source: { pointer: '/data/relationships/book/data' },
    })
  })
})

describe('Filters of MikroORM that are added at run time', () => {
  let library: TestApp
  let added: ((context: Context) => void) | null = null

  before(async () => {
    await loadLibrary()
    const adding: Plugin = {
      name: 'adding',
      ...scopeSteps('addressed', (_type, context) => {
        added?.(context)
        return undefined
      }),
    }
    library = await startLibrary({ plugins: [...plugins, adding] })
  })
  afterEach(() => {
    added = null
  })
  after(() => library.close())

  const shelves = async () => readIds(await library.client.get('/shelves'))

  it('hold for later reads when they are added to the EntityManager of the ORM', async () => {
    const { orm } = await libraryDatabase()
    expect(await shelves()).to.deep.equal(['1', '2', '3'])
    orm.em.addFilter({ name: 'north', cond: { name: 'North' }, entity: Shelf })
    try {
      expect(await shelves()).to.deep.equal(['1'])
      orm.em.addFilter({ name: 'north', cond: { name: 'South' }, entity: Shelf })
      expect(await shelves()).to.deep.equal(['2'])
    } finally {
      orm.em.addFilter({ name: 'north', cond: {}, entity: Shelf, default: false })
    }
    expect(await shelves()).to.deep.equal(['1', '2', '3'])
  })

  it('are called with the kind of the operation', async () => {
    const cond = (_: unknown, kind: string) => ({ name: kind === 'read' ? 'North' : 'South' })
    added = (context) => emOf(context).addFilter({ name: 'kind', cond, entity: Shelf, args: false })
    expect(await shelves()).to.deep.equal(['1'])
  })

  it('hold for one request when they are added to the EntityManager of its unit', async () => {
    added = (context) => emOf(context).addFilter({ name: 'empty', cond: { name: 'Empty' }, entity: Shelf })
    expect(await shelves()).to.deep.equal(['3'])
    added = null
    expect(await shelves()).to.deep.equal(['1', '2', '3'])
  })
})

describe('Single table inheritance', () => {
  let client: Client
  let close: () => Promise<void>

  before(async () => {
    const library = await startLibrary({ resources: publicationResources })
    client = library.client
    close = library.close
  })
  after(() => close())
  beforeEach(async () => {
    await emptyLibrary()
    const em = (await libraryDatabase()).orm.em.fork()
    await em.execute(`insert into publications (kind, name, issue)
      values ('publication', 'Map', null), ('magazine', 'Stars', 7), ('weekly', 'Week', 8), ('leaflet', 'Flyer', null)`)
  })

  it('shows rows of a subclass under its own type and under the type of the base class', async () => {
    expect(readIds(await client.get('/publications'))).to.deep.equal(['1', '2', '3', '4'])
    expect(readIds(await client.get('/magazines'))).to.deep.equal(['2', '3'])
    expect((await client.get('/magazines/1')).status).to.equal(404)
  })

  it('shows no row of another class if the type has a scope too', async () => {
    const scoped: Plugin = { name: 'scoped', ...scopeSteps('addressed', () => compare('name', '!=', 'Week')) }
    const library = await startLibrary({ resources: publicationResources, plugins: [...plugins, scoped] })
    const magazines = await library.client.get('/magazines')
    await library.close()
    expect(readIds(magazines)).to.deep.equal(['2'])
  })

  it('returns 404 for writes of a row of another class, and sets the discriminator of a new row', async () => {
    const patch = { data: { type: 'magazines', id: '1', attributes: { issue: 9 } } }
    expect((await client.patch('/magazines/1', patch)).status).to.equal(404)
    expect((await client.delete('/magazines/1')).status).to.equal(404)
    await client.post('/magazines', { data: { type: 'magazines', attributes: { name: 'New', issue: 1 } } })
    expect(readIds(await client.get('/magazines'))).to.deep.equal(['2', '3', '5'])
  })
})

describe('Constraint violations', () => {
  let client: Client
  let close: () => Promise<void>

  const start = async (options: TestAppOptions) => {
    const library = await startLibrary(options)
    client = library.client
    close = library.close
  }
  beforeEach(loadLibrary)
  afterEach(() => close())

  const tag = (name: string, id?: string) => ({ data: { type: 'tags', ...(id && { id }), attributes: { name } } })

  it('return 409 with a pointer to the attribute when a unique value exists', async () => {
    await start({})
    const taken = { status: '409', code: 'CONFLICT', source: { pointer: '/data/attributes/name' } }
    expect((await client.post('/tags', tag('old', tagId(9)))).body.errors[0]).to.deep.include(taken)
    expect((await client.patch(`/tags/${tagId(2)}`, tag('old', tagId(2)))).body.errors[0]).to.deep.include(taken)
    expect(await countRows(Tag)).to.equal(2)
  })

  it('return 409 with a pointer to the relationship when its target is taken', async () => {
    await start({})
    const relationships = { shelf: { data: { type: 'shelves', id: '2' } } }
    const { body } = await client.post('/labels', {
      data: { type: 'labels', attributes: { text: 'x' }, relationships },
    })
    expect(body.errors[0]).to.deep.include({
      code: 'CONFLICT',
      detail: 'The value of shelf is already taken.',
      source: { pointer: '/data/relationships/shelf/data' },
    })
  })

  it('return 409 with the pointer /data at a relationship URL when a target or a column of a member is taken', async () => {
    await start({})
    const created = await client.post('/labels', { data: { type: 'labels', attributes: { text: 'x' } } })
    const { id } = created.body.data
    const conflict = { status: '409', code: 'CONFLICT', source: { pointer: '/data' } }
    const taken = await client.patch(`/labels/${id}/relationships/shelf`, { data: { type: 'shelves', id: '2' } })
    expect(taken.body.errors[0]).to.deep.include(conflict)

    const { em } = (await libraryDatabase()).orm
    await em.execute('create unique index one_book_per_position on books (shelf_id, position)')
    try {
      await em.execute(`insert into books (id, title, position, shelf_id) values (71, 'a', 5, 2), (72, 'b', 5, null)`)
      const data = [{ type: 'books', id: '72' }]
      const moved = await client.post('/shelves/2/relationships/books', { data })
      expect(moved.body.errors[0]).to.deep.include(conflict)
      const book = { type: 'books', id: '72', relationships: { shelf: { data: { type: 'shelves', id: '2' } } } }
      expect((await client.patch('/books/72', { data: book })).body.errors[0]).to.include({ code: 'CONFLICT' })
      const shelf = await client.patch('/books/72/relationships/shelf', book.relationships.shelf)
      expect(shelf.body.errors[0]).to.deep.include(conflict)
    } finally {
      await em.execute('drop index one_book_per_position')
    }
  })

  it('return 409 with a pointer to the id when a client-generated id exists', async () => {
    await start({})
    const { body } = await client.post('/tags', tag('other', tagId(1)))
    expect(body.errors[0]).to.deep.include({
      status: '409',
      code: 'CLIENT_GENERATED_ID_ALREADY_EXISTS',
      source: { pointer: '/data/id' },
    })
  })

  it('return 409 when a deleted row is referenced by a foreign key, with RESTRICT and with NO ACTION', async () => {
    await start({ resources: specimenResources })
    const em = (await libraryDatabase()).orm.em.fork()
    await em.execute('insert into specimens (id) values (5)')
    await em.insert(Sample, { id: '5', name: 'five', specimen: 5n })
    const rules = await em.execute(
      `select confdeltype as rule from pg_constraint where conrelid = 'samples'::regclass and contype = 'f'`,
    )
    expect(rules).to.deep.equal([{ rule: 'r' }])
    expect((await client.delete('/specimens/5')).body.errors[0]).to.include({ status: '409', code: 'CONFLICT' })
    await em.execute('alter table samples drop constraint samples_specimen_id_foreign')
    await em.execute(
      'alter table samples add constraint samples_specimen_id_foreign foreign key (specimen_id) references specimens',
    )
    expect((await client.delete('/specimens/5')).body.errors[0]).to.include({ status: '409', code: 'CONFLICT' })
  })

  it('return 409 when an exclusion constraint rejects the row, on both write paths', async () => {
    const { em } = (await libraryDatabase()).orm
    const range = `int4range(position, position, '[]')`
    const data = { type: 'books', attributes: { title: 'Twin', position: 4711 } }
    const observed: Plugin = {
      name: 'observed',
      plan: addSteps({
        beforeSave() {},
      }),
    }
    await em.execute(`alter table books add constraint one_per_place exclude using gist (${range} with &&)
      where (position = 4711)`)
    try {
      for (const [index, list] of [plugins, [...plugins, observed]].entries()) {
        if (index > 0) await close()
        await start({ plugins: list })
        await em.execute('delete from books where position = 4711')
        expect((await client.post('/books', { data })).status).to.equal(201)
        const { body } = await client.post('/books', { data })
        expect(body.errors[0]).to.include({ status: '409', code: 'CONFLICT' })
        expect(body.errors[0].detail).to.equal('A resource with conflicting values of position already exists.')
      }
    } finally {
      await em.execute('alter table books drop constraint one_per_place')
    }
  })

  it('return 404 with a pointer to the relationship when its target is deleted during the write', async () => {
    const remove: Plugin = {
      name: 'remove',
      plan: addSteps({
        beforeSave: async ({ context }) => void (await emOf(context).execute('delete from shelves where id = 3')),
      }),
    }
    await start({ plugins: [...plugins, remove] })
    const relationships = { shelf: { data: { type: 'shelves', id: '3' } } }
    const data = { type: 'books', attributes: { title: 'Late' }, relationships }
    expect((await client.post('/books', { data })).body.errors[0]).to.deep.include({
      status: '404',
      code: 'RESOURCE_NOT_FOUND',
      source: { pointer: '/data/relationships/shelf/data' },
    })
    expect(await countRows(Shelf), 'the deletion is rolled back too').to.equal(3)
  })

  it('return 422 when a NOT NULL column has no value and the attribute is not required', async () => {
    await start({})
    const { body } = await client.post('/labels', { data: { type: 'labels', attributes: {} } })
    expect(body.errors[0]).to.deep.include({
      status: '422',
      code: 'VALIDATION_FAILED',
      detail: 'A value for text is required.',
      source: { pointer: '/data' },
    })
  })

  it('return 422 when the foreign key of a to-one is NOT NULL and missing', async () => {
    await start({ resources: specimenResources })
    const { body } = await client.post('/samples', { data: { type: 'samples', attributes: { name: 'alone' } } })
    expect(body.errors[0]).to.include({ code: 'VALIDATION_FAILED', detail: 'A value for specimen is required.' })
  })

  it('return 422 when a value is too long and the validation plugin is off', async () => {
    const disabled = ['validation']
    await start({ disabled, resources: withoutNeeds(libraryResources, disabled) })
    const { body } = await client.post('/tags', tag('x'.repeat(41), tagId(9)))
    expect(body.errors[0]).to.deep.include({
      status: '422',
      code: 'ATTRIBUTE_VALUE_INVALID',
      source: { pointer: '/data/attributes/name' },
    })
  })

  it('leave the connection usable for the next request', async () => {
    await start({})
    for (let attempt = 0; attempt < 15; attempt++) await client.post('/tags', tag('old', tagId(9)))
    expect((await client.get('/tags')).status).to.equal(200)
  })
})

describe('Writes to a resource with a one-to-one mapped from the other side', () => {
  let library: TestApp

  before(async () => {
    library = await startLibrary()
  })
  after(() => library.close())
  beforeEach(loadLibrary)

  it('update and delete the row', async () => {
    const patch = { data: { type: 'shelves', id: '2', attributes: { name: 'West' } } }
    expect((await library.client.patch('/shelves/2', patch)).body.data.attributes.name).to.equal('West')
    expect((await library.client.delete('/shelves/3')).status).to.equal(204)
  })
})

describe('Units of work', () => {
  let library: TestApp

  const start = async (...hooks: Plugin[]) => {
    library = await startLibrary({ plugins: [...plugins, ...hooks] })
    return library.client
  }
  beforeEach(loadLibrary)
  afterEach(() => library.close())

  const shelf = { data: { type: 'shelves', attributes: { name: 'Made once' } } }
  const atomic = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'

  for (const [code, failure] of [
    ['40001', 'a serialization failure'],
    ['40P01', 'a deadlock'],
  ] as const) {
    it(`retry with a new unit after ${failure}`, async () => {
      const units = new Set<unknown>()
      const hook = failing(3, code, units)
      const client = await start(hook)
      expect((await client.post('/shelves', shelf)).status).to.equal(201)
      expect(units.size, 'three that failed and one that did not').to.equal(4)
      expect(await countRows(Shelf, { name: 'Made once' })).to.equal(1)
    })
  }

  it('return 503 with Retry-After when the fourth attempt fails, and write nothing', async () => {
    const units = new Set<unknown>()
    const client = await start(failing(4, '40001', units))
    const { status, headers, body } = await client.post('/shelves', shelf)
    expect(status).to.equal(503)
    expect(headers.get('retry-after')).to.equal('1')
    expect(body.errors[0]).to.include({ status: '503', title: 'Server Error' }).and.not.to.have.property('code')
    expect(units.size).to.equal(4)
    expect(await countRows(Shelf, { name: 'Made once' })).to.equal(0)
  })

  it('retry a whole batch with its local ids', async () => {
    const units = new Set<unknown>()
    const client = await start(failing(1, '40001', units))
    const relationships = { shelf: { data: { type: 'shelves', lid: 'new' } } }
    const body = {
      'atomic:operations': [
        { op: 'add', data: { ...shelf.data, lid: 'new' } },
        { op: 'add', data: { type: 'labels', attributes: { text: 'x' }, relationships } },
      ],
    }
    const answer = await client.post('/operations', body, { 'content-type': atomic, accept: atomic })
    expect(answer.status).to.equal(200)
    expect(units.size).to.equal(2)
    expect(await countRows(Shelf, { name: 'Made once' })).to.equal(1)
  })

  it('run afterCommit hooks once, after the commit', async () => {
    const seen: number[] = []
    const client = await start(
      {
        name: 'waiting',
        plan: addSteps({
          async afterCommit() {
            seen.push(await countRows(Shelf, { name: 'Made once' }))
            return undefined
          },
        }),
      },
      failing(2, '40001', new Set()),
    )
    await client.post('/shelves', shelf)
    expect(seen).to.deep.equal([1])
  })

  it('do not retry after another error, and do not run afterCommit hooks', async () => {
    const seen: string[] = []
    const client = await start({
      name: 'throwing',
      plan: addSteps({
        beforeSave() {
          seen.push('written')
          throw new Error('No.')
        },
        afterCommit() {
          seen.push('committed')
          return undefined
        },
      }),
    })
    expect((await client.post('/shelves', shelf)).status).to.equal(500)
    expect(seen).to.deep.equal(['written'])
    expect(await countRows(Shelf, { name: 'Made once' })).to.equal(0)
  })

  it('throw an error that names the types when their scopes refer to each other', async () => {
    const circular: Plugin = {
      name: 'circular',
      ...scopeSteps('addressed', (type) => {
        const relation = type.relations.find(({ name }) => name === 'shelf' || name === 'books')
        return relation && exists(relation)
      }),
    }
    library = await startLibrary({ plugins: [...plugins, circular], config: { debug: true } })
    const { status, body } = await library.client.get('/shelves')
    expect(status).to.equal(500)
    expect(body.errors[0].detail).to.match(
      /^The scopes of 'shelves', 'books', 'shelves' refer to each other in a cycle/,
    )
  })

  it('throw instead of blocking when a unit is opened inside the transaction of another', async () => {
    const client = await start()
    const { store } = library.app
    const sentence = 'A unit was opened inside the transaction of another; use the unit of the operation instead.'
    for (const open of [store.read, store.write]) {
      const attempt = store.write(() => open(async () => 'never'))
      expect(await attempt.catch((error: Error) => error.message)).to.equal(sentence)
    }
    expect((await client.get('/shelves')).status).to.equal(200)
  })

  it('read their own writes before the commit', async () => {
    const client = await start()
    const { store } = library.app
    await store.write(async (unit) => {
      const em = emOf({ unit } as never)
      await em.execute(`update shelves set name = 'Mine' where id = 1`)
      const [row] = await em.execute('select name from shelves where id = 1')
      expect(row).to.deep.equal({ name: 'Mine' })
    })
    expect((await client.get('/shelves/1')).body.data.attributes.name).to.equal('Mine')
  })

  it('lock the subject of a write, which prevents lost updates', async () => {
    const client = await start({
      name: 'counting',
      plan: addSteps({
        beforeSave(_operation, entity) {
          ;(entity as Book).position += 1
        },
      }),
    })
    const patch = () => client.patch('/books/1', { data: { type: 'books', id: '1', attributes: {} } })
    const answers = await Promise.all(Array.from({ length: 20 }, patch))
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]))
    expect((await client.get('/books/1')).body.data.attributes.position).to.equal(21)
  })

  it('keep the microseconds of a timestamp that a write does not change', async () => {
    const client = await start()
    const em = (await libraryDatabase()).orm.em.fork()
    await em.execute(`update books set printed_at = '2024-01-01 00:00:00.123456+00' where id = 1`)
    await client.patch('/books/1', { data: { type: 'books', id: '1', attributes: { title: 'Other' } } })
    const [row] = await em.execute(`select extract(microseconds from printed_at)::int as left from books where id = 1`)
    expect(row).to.deep.equal({ left: 123_456 })
  })
})

if (process.env.DATABASE_URL) {
  describe('Units of work on a PostgreSQL server', () => {
    let library: TestApp

    const start = async (...hooks: Plugin[]) => {
      library = await startLibrary({ plugins: [...plugins, ...hooks] })
      return library.client
    }
    beforeEach(loadLibrary)
    afterEach(() => library.close())

    const shelf = { data: { type: 'shelves', attributes: { name: 'Made once' } } }
    const book = (id: string) => ({ data: { type: 'books', id, attributes: {} } })

    it('return 503 with Retry-After when a statement exceeds the statement time-out', async () => {
      const client = await start({
        name: 'slow',
        plan: addSteps({
          async beforeSave({ context }) {
            await emOf(context).execute('set local statement_timeout to 20')
            await emOf(context).execute('select pg_sleep(5)')
          },
        }),
      })
      const { status, headers, body } = await client.post('/shelves', shelf)
      expect(status).to.equal(503)
      expect(headers.get('retry-after')).to.match(/^\d+$/)
      expect(body.errors[0]).to.include({ title: 'Server Error' }).and.not.to.have.property('code')
    })

    it('release their connection after a statement time-out, for more units than the pool has connections', async () => {
      const client = await start({
        name: 'slow',
        plan: addSteps({
          async beforeSave({ context }) {
            await emOf(context).execute('set local statement_timeout to 5')
            await emOf(context).execute('select pg_sleep(5)')
          },
        }),
      })
      const attempts = Array.from({ length: 25 }, () => client.post('/shelves', shelf))
      for (const { status } of await Promise.all(attempts)) expect(status).to.equal(503)
      expect((await client.get('/shelves')).status).to.equal(200)
      const [row] = await (await libraryDatabase()).orm.em.fork().execute<{ open: number }[]>(
        `select count(*)::int as open from pg_stat_activity
         where datname = current_database() and state like 'idle in transaction%'`,
      )
      expect(row?.open).to.equal(0)
    })

    it('return 503 when their connection is lost, and replace the connection in the pool', async () => {
      const client = await start({
        name: 'cutting',
        plan: addSteps({
          async beforeSave({ context }) {
            await emOf(context).execute('select pg_terminate_backend(pg_backend_pid())')
          },
        }),
      })
      for (let attempt = 0; attempt < 12; attempt++) {
        const { status, headers } = await client.post('/shelves', shelf)
        expect(status).to.equal(503)
        expect(headers.get('retry-after')).to.match(/^\d+$/)
      }
      expect((await client.get('/shelves')).status).to.equal(200)
    })

    it('replace idle connections that were lost', async () => {
      const client = await start()
      const askOften = () => Promise.all(Array.from({ length: 5 }, () => client.get('/shelves')))
      await askOften()
      const { orm, pool } = await libraryDatabase()
      await orm.em.fork().execute(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`)
      while ((pool?.().total ?? 0) > 1) await turn()
      expect(new Set((await askOften()).map(({ status }) => status))).to.deep.equal(new Set([200]))
    })

    it('both succeed after a deadlock, because the aborted one is retried', async () => {
      let attempts = 0
      const bothHoldTheirs = Promise.withResolvers<void>()
      const client = await start({
        name: 'crossing',
        plan: addSteps({
          async beforeSave({ context, target }) {
            if (++attempts > 2) return
            if (attempts === 2) bothHoldTheirs.resolve()
            await bothHoldTheirs.promise
            await emOf(context).execute(`update books set position = position + 10 where id = ${3 - Number(target.id)}`)
          },
        }),
      })
      const answers = await Promise.all(['1', '2'].map((id) => client.patch(`/books/${id}`, book(id))))
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200])
      expect(attempts).to.equal(3)
      const em = (await libraryDatabase()).orm.em.fork()
      const [row] = await em.execute('select sum(position)::int as sum from books where id in (1, 2)')
      expect(row, 'what the ended one did is undone').to.deep.equal({ sum: 1 + 2 + 10 })
    })
  })
}

const tagId = (number: number) => `00000000-0000-4000-8000-00000000000${number}`

/** Three shelves, the last without books; five books and a deleted one; two tags; a label; two loans. */
async function loadLibrary(): Promise<void> {
  await emptyLibrary()
  const em = (await libraryDatabase()).orm.em.fork()
  await em.insertMany(Shelf, [
    { id: 1, name: 'North' },
    { id: 2, name: 'South' },
    { id: 3, name: 'Empty' },
  ])
  await em.insertMany(Book, [
    { id: 1, title: 'The first', position: 1, rating: 2, shelf: 1, printedAt: new Date('2024-01-01T00:00:00Z') },
    { id: 2, title: 'Second best? Best', position: 2, rating: 3.5, shelf: 1 },
    { id: 3, title: 'L’ÉTOILE', position: 3, rating: 5, shelf: 2 },
    { id: 4, title: '100% Words', position: 4, shelf: 2 },
    { id: 5, title: 'a\\b_c', position: 5 },
    { id: 6, title: 'Deleted', position: 6, rating: 5, shelf: 1, deletedAt: new Date('2024-01-01T00:00:00Z') },
  ])
  await em.insertMany(Tag, [
    { id: tagId(1), name: 'old' },
    { id: tagId(2), name: 'new' },
  ])
  await em.insert(Label, { id: 1, text: 'South label', shelf: 2 })
  await em.insertMany(Loan, [
    { id: 1, reader: 'Ada', book: 6 },
    { id: 2, reader: 'Bob', book: 1 },
  ])
  const pairs = [
    [1, 1],
    [1, 2],
    [3, 1],
    [6, 1],
  ].map(([book, tag]) => `(${book}, '${tagId(tag as number)}')`)
  await em.execute(`insert into book_tags (book_id, tag_id) values ${pairs.join(', ')}`)
  for (const table of ['shelves', 'labels', 'loans', 'books']) {
    await em.execute(`select setval(pg_get_serial_sequence('${table}', 'id'), 100)`)
  }
}

/** Throws an error with a code of the database on the first writes, and notes the unit of each. */
function failing(times: number, code: string, units: Set<unknown>): Plugin {
  let attempts = 0
  return {
    name: 'failing',
    plan: addSteps({
      beforeSave({ context }) {
        units.add(context.unit)
        if (++attempts <= times) throw Object.assign(new Error('could not serialize access'), { code })
      },
    }),
  }
}

async function countRows(entity: typeof Shelf | typeof Tag, where: { name?: string } = {}): Promise<number> {
  return (await libraryDatabase()).orm.em.fork().count(entity as typeof Shelf, where)
}

function readIds({ body }: ClientResponse): string[] {
  return body.data.map(({ id }: { id: string }) => id)
}
