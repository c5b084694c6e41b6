import { defineEntity, type EntityName, p } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sql'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { Policy } from '#plugins/authorization/index.ts'
import type { Database } from '#store'
import { startApp, type TestApp } from '#test/support/app.ts'
import { relate, sendBatch } from '#test/support/batch.ts'
import type { ClientResponse } from '#test/support/client.ts'
import { openTestDatabase } from '#test/support/database.ts'

// What becomes of members that have lost their parent: the mapping of the entity says it.

describe('Members that are removed from a has-many or has-one', () => {
  let database: Database
  let app: TestApp
  const execute = (sql: string) => database.orm.em.getConnection().execute<{ value: unknown }[]>(sql)

  before(async () => {
    database = await openTestDatabase({ entities: [Tree, Leaf, Bird, Nest, Root, Visit], migrations: [] })
    await database.orm.schema.create()
    const resources = [trees, leaves, birds, nests, roots].map((resource) => ({
      file: 'test/template/kernel/writes/orphans.test.ts',
      resource,
    }))
    app = await startApp({ resources, database, onWrite: () => {} })
  })
  beforeEach(async () => {
    await execute('truncate trees, leaves, birds, nests, roots, visits restart identity cascade')
    await execute(`insert into trees (name) values ('Oak'), ('Elm')`)
    await execute('insert into leaves (tree_id) values (1), (1), (2)')
    await execute('insert into birds (tree_id) values (1), (1), (2)')
    await execute('insert into nests (tree_id) values (1), (2)')
    await execute('insert into roots (tree_id, version) values (1, 1), (2, 1)')
  })
  after(async () => {
    await app.close()
    await database.close()
  })

  const path = (name: string, id = '1') => `/trees/${id}/relationships/${name}`
  const send = (method: string, name: string, ...ids: readonly string[]) =>
    app.client.send(method, path(name), { body: { data: ids.map((id) => ({ type: name, id })) } })
  const parents = async (table: string, order = 'id') =>
    (await execute(`select tree_id as value from ${table} order by ${order}`)).map(({ value }) => value)

  it('are deleted when the mapping has orphanRemoval', async () => {
    expect((await send('DELETE', 'leaves', '1')).status).to.equal(200)
    expect(await parents('leaves')).to.deep.equal([1, 2])
    expect((await send('PATCH', 'leaves', '3')).status).to.equal(200)
    expect(await parents('leaves')).to.deep.equal([1])
    expect((await app.client.get('/leaves/3')).status).to.equal(200)
  })

  it('returns 401 and removes nothing when the policy of the members denies to delete an orphan', async () => {
    const guarded = { ...leaves, declaration: { ...leaves.declaration, policy: NoDeletion as never } }
    const resources = [trees, guarded, birds, nests, roots].map((resource) => ({
      file: 'test/template/kernel/writes/orphans.test.ts',
      resource,
    }))
    const closed = await startApp({ resources, database, onWrite: () => {} })
    const body = { data: [{ type: 'leaves', id: '1' }] }
    const removed = await closed.client.send('DELETE', path('leaves'), { body })
    const replaced = await closed.client.send('PATCH', path('leaves'), { body: { data: [] } })
    const moved = await closed.client.send('POST', path('leaves', '2'), { body })
    await closed.close()
    expect([removed.status, replaced.status, moved.status]).to.deep.equal([401, 401, 200])
    expect(await parents('leaves')).to.deep.equal([2, 1, 2])
  })

  it('return 403 when their foreign key is not nullable', async () => {
    expectRefusal(await send('DELETE', 'birds', '1'), 'REMOVAL_PROHIBITED', '/data')
    expectRefusal(await send('PATCH', 'birds', '1', '2', '3'), 'FULL_REPLACEMENT_PROHIBITED', '/data')
    const embedded = { data: { type: 'trees', id: '1', relationships: { birds: { data: [] } } } }
    const pointer = '/data/relationships/birds'
    expectRefusal(await app.client.patch('/trees/1', embedded), 'FULL_REPLACEMENT_PROHIBITED', pointer)
    expect(await parents('birds')).to.deep.equal([1, 1, 2])
  })

  it('can be moved to another parent when their foreign key is not nullable', async () => {
    expect((await send('POST', 'birds', '3')).status).to.equal(200)
    expect(await parents('birds')).to.deep.equal([1, 1, 1])
    const relationships = { birds: { data: [{ type: 'birds', id: '1' }] } }
    const created = await app.client.post('/trees', {
      data: { type: 'trees', attributes: { name: 'Ash' }, relationships },
    })
    expect(created.status).to.equal(201)
    expect(await parents('birds')).to.deep.equal([3, 1, 1])
  })

  it('free the foreign key of a has-one, and are deleted when the mapping has orphanRemoval', async () => {
    const answer = await app.client.patch(path('nest'), { data: { type: 'nests', id: '2' } })
    expect([answer.status, answer.body.data]).to.deep.equal([200, { type: 'nests', id: '2' }])
    expect(await parents('nests')).to.deep.equal([1])
    expect((await app.client.patch(path('nest'), { data: null })).status).to.equal(200)
    expect(await parents('nests')).to.deep.equal([])
  })

  it('are kept when they name another parent in a batch that has loaded the former one', async () => {
    await execute(`insert into trees (name) values ('Ash')`)
    const load = relate('add', { type: 'trees', id: '1', relationship: 'birds' }, [{ type: 'birds', id: '3' }])
    const leave = relate('update', { type: 'nests', id: '1', relationship: 'tree' }, { type: 'trees', id: '3' })
    expect((await sendBatch(app.client, [load, leave])).status).to.equal(204)
    expect(await parents('nests')).to.deep.equal([3, 2])
  })

  it('get a new version number from the unit of work', async () => {
    expect((await app.client.patch(path('root'), { data: { type: 'roots', id: '2' } })).status).to.equal(200)
    expect(await parents('roots')).to.deep.equal([null, 1])
    expect((await execute('select version as value from roots order by id')).map(({ value }) => value)).to.deep.equal([
      2, 2,
    ])
  })

  it('keep the values of custom types in pivot rows', async () => {
    const pivot = { height: 9_007_199_254_740_991, share: 12.5 }
    const answer = await app.client.patch(path('visitors'), { data: [{ type: 'birds', id: '3', meta: { pivot } }] })
    expect(answer.status).to.equal(200)
    expect(answer.body.data).to.deep.equal([{ type: 'birds', id: '3', meta: { pivot } }])
    const other = await app.client.post(path('visitors'), {
      data: [{ type: 'birds', id: '3', meta: { pivot: { share: 1 } } }],
    })
    expect(other.body.data[0].meta.pivot).to.deep.equal({ height: pivot.height, share: 1 })
  })

  it('are updated by a retry when a concurrent transaction inserts the same pivot row', async () => {
    meanwhile = 1
    const data = [{ type: 'birds', id: '2', meta: { pivot: { height: 1, share: 1 } } }]
    expect((await app.client.post(path('visitors'), { data })).status).to.equal(200)
    expect(meanwhile).to.equal(0)
    expect(await parents('visits', 'bird_id')).to.deep.equal([1])
  })

  it('free unique values of pivot rows for new rows of the same request', async () => {
    const visitor = (id: string, height: number) => ({ type: 'birds', id, meta: { pivot: { height, share: 1 } } })
    await app.client.post(path('visitors'), { data: [visitor('1', 7)] })
    expect((await app.client.patch(path('visitors'), { data: [visitor('2', 7)] })).status).to.equal(200)
    const taken = await app.client.post(path('visitors'), { data: [visitor('3', 7)] })
    expect([taken.status, taken.body.errors[0].code]).to.deep.equal([409, 'CONFLICT'])
  })

  it('calls the delete hook of an association entity for each row that a replacement removes', async () => {
    const visitor = (id: string, height: number) => ({ type: 'birds', id, meta: { pivot: { height, share: 1 } } })
    await app.client.patch(path('visitors'), { data: [visitor('1', 1), visitor('2', 2), visitor('3', 3)] })
    deletedVisits.length = 0
    expect((await app.client.patch(path('visitors'), { data: [visitor('2', 2)] })).status).to.equal(200)
    expect(deletedVisits).to.have.members(['1', '3'])
  })
})

function expectRefusal({ status, body }: ClientResponse, code: string, pointer: string): void {
  expect(status).to.equal(403)
  expect(body.errors[0]).to.deep.include({ code, source: { pointer } })
}

const treeSchema = defineEntity({
  name: 'Tree',
  tableName: 'trees',
  properties: {
    id: p.integer().primary(),
    name: p.text(),
    leaves: () => p.oneToMany(Leaf).mappedBy('tree').orphanRemoval(),
    birds: () => p.oneToMany(Bird).mappedBy('tree'),
    nest: () => p.oneToOne(Nest).mappedBy('tree').ref().nullable().orphanRemoval(),
    root: () => p.oneToOne(Root).mappedBy('tree').ref().nullable(),
    visitors: () =>
      p
        .manyToMany(Bird)
        .owner()
        .pivotEntity((): EntityName => Visit),
  },
})
class Tree extends treeSchema.class {}
treeSchema.setClass(Tree)

const leafSchema = defineEntity({
  name: 'Leaf',
  tableName: 'leaves',
  properties: { id: p.integer().primary(), tree: () => p.manyToOne(Tree) },
})
class Leaf extends leafSchema.class {}
leafSchema.setClass(Leaf)

const birdSchema = defineEntity({
  name: 'Bird',
  tableName: 'birds',
  properties: { id: p.bigint().primary(), tree: () => p.manyToOne(Tree).ref() },
})
class Bird extends birdSchema.class {}
birdSchema.setClass(Bird)

const nestSchema = defineEntity({
  name: 'Nest',
  tableName: 'nests',
  properties: { id: p.integer().primary(), tree: () => p.oneToOne(Tree).ref().owner() },
})
class Nest extends nestSchema.class {}
nestSchema.setClass(Nest)

const rootSchema = defineEntity({
  name: 'Root',
  tableName: 'roots',
  properties: {
    id: p.integer().primary(),
    version: p.integer().version(),
    tree: () => p.oneToOne(Tree).ref().owner().nullable(),
  },
})
class Root extends rootSchema.class {}
rootSchema.setClass(Root)

/** How many more times the row of a visit is there already when it is made. */
let meanwhile = 0

/** The birds whose visits were deleted through MikroORM. */
const deletedVisits: string[] = []

const visitSchema = defineEntity({
  name: 'Visit',
  tableName: 'visits',
  uniques: [{ properties: ['tree', 'height'] }],
  hooks: {
    beforeCreate: [
      async ({ em }) => {
        if (meanwhile-- > 0) await (em as SqlEntityManager).execute('insert into visits values (1, 2, 5, 5)')
        else meanwhile = 0
      },
    ],
    afterDelete: [({ entity }) => void deletedVisits.push(String(entity.bird?.id))],
  },
  properties: {
    tree: () => p.manyToOne(Tree).ref().primary(),
    bird: () => p.manyToOne(Bird).ref().primary(),
    height: p.bigint(),
    share: p.decimal().precision(6).scale(2),
  },
})
class Visit extends visitSchema.class {}
visitSchema.setClass(Visit)

const trees = defineResource(Tree, {
  type: 'trees',
  fields: ({ id, string, hasMany, hasOne, belongsToMany }) => [
    id(),
    string('name'),
    hasMany('leaves', 'leaves'),
    hasMany('birds', 'birds'),
    hasOne('nest', 'nests'),
    hasOne('root', 'roots'),
    belongsToMany('visitors', 'birds')
      .through(Visit)
      .fields(({ integer, decimal }) => [integer('height'), decimal('share')]),
  ],
})
class NoDeletion extends Policy<Leaf> {
  static override readonly needs = { view: [], update: [], delete: [] }
  override viewAny = () => true
  override view = () => true
  override create = () => true
  override update = () => true
  override delete = () => false
}

const leaves = defineResource(Leaf, { type: 'leaves', fields: ({ id }) => [id()] })
const birds = defineResource(Bird, { type: 'birds', fields: ({ id }) => [id()] })
const nests = defineResource(Nest, {
  type: 'nests',
  fields: ({ id, belongsTo }) => [id(), belongsTo('tree', 'trees')],
})
const roots = defineResource(Root, { type: 'roots', fields: ({ id }) => [id()] })
