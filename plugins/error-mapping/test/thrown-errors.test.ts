import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import type { ApiOf } from '#app/api-types/api-of.ts'
import { compare, defineError, defineResource } from '#kernel'
import type { ErrorFactory } from '#kernel/errors'
import type { App } from '#kernel/plugin'
import { defineAction, noContent } from '#plugins/actions/index.ts'
import { Policy } from '#plugins/authorization/index.ts'
import { startApp, type TestApp } from '#test/support/app.ts'
import { atomicMediaType } from '#test/support/batch.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'

// Every function of a resource, a policy and an action that runs in a request throws an error of its own: the name of the crate
// that a request concerns selects the function.

const fromHook = defineError('FROM_HOOK', 409, 'Hook', 'The hook rejects {name}.', {
  when: 'A hook rejects the crate.',
  otherStatuses: [422],
})
const fromRule = defineError('FROM_RULE', 422, 'Rule', 'The rule rejects the name.')
const fromFilter = defineError('FROM_FILTER', 400, 'Filter', 'The filter rejects the value.')
const fromRead = defineError('FROM_READ', 410, 'Read', 'The crate cannot be read.')
const fromTrash = defineError('FROM_TRASH', 409, 'Trash', 'The crate cannot be restored.')
const fromViewAny = defineError('FROM_VIEW_ANY', 403, 'View any', 'No crate may be read.')
const fromScope = defineError('FROM_SCOPE', 429, 'Scope', 'No crate may be found.')
const fromView = defineError('FROM_VIEW', 403, 'View', 'The crate may not be read.')
const fromCreate = defineError('FROM_CREATE', 402, 'Create', 'No crate may be created.')
const fromUpdate = defineError('FROM_UPDATE', 423, 'Update', 'The crate may not be updated.')
const fromDelete = defineError('FROM_DELETE', 403, 'Delete', 'The crate may not be deleted.')
const fromAbility = defineError('FROM_ABILITY', 403, 'Ability', 'The crate may not be shipped.')
const fromAction = defineError('FROM_ACTION', 409, 'Action', 'The crate cannot be shipped.')
const fromFile = defineError('FROM_FILE', 424, 'File', 'The crates cannot be counted.')

const thrown: readonly ErrorFactory[] = [
  ...[fromHook, fromRule, fromFilter, fromRead, fromTrash, fromAction, fromFile],
  ...[fromViewAny, fromScope, fromView, fromCreate, fromUpdate, fromDelete, fromAbility],
]

const shelfSchema = defineEntity({
  name: 'Shelf',
  tableName: 'shelves',
  properties: { id: p.integer().primary().autoincrement(), crates: () => p.oneToMany(Crate).mappedBy('shelf') },
})
class Shelf extends shelfSchema.class {}
shelfSchema.setClass(Shelf)

const crateSchema = defineEntity({
  name: 'Crate',
  tableName: 'crates',
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.text(),
    deletedAt: p.datetime(3).nullable(),
    shelf: () => p.manyToOne(Shelf).ref().nullable(),
  },
})
class Crate extends crateSchema.class {}
crateSchema.setClass(Crate)

type Named = { readonly name: string }

class CratePolicy extends Policy<Crate> {
  static override readonly needs = {
    view: ['name'] as const,
    update: ['name'] as const,
    delete: ['name'] as const,
    restore: [],
    forceDelete: [],
    ship: ['name'] as const,
  }
  static override readonly errors = [
    ...([fromViewAny, fromScope, fromView, fromCreate, fromUpdate, fromDelete, fromAbility] as const),
  ]
  /** Abilities without a row, which a test selects. */
  static throwing: 'scope' | 'viewAny' | 'create' | null = null

  override scope() {
    if (CratePolicy.throwing === 'scope') throw fromScope()
    return true
  }
  override viewAny() {
    if (CratePolicy.throwing === 'viewAny') throw fromViewAny()
    return true
  }
  override create() {
    if (CratePolicy.throwing === 'create') throw fromCreate()
    return true
  }
  override view(_principal: unknown, { name }: Named) {
    if (name === 'view') throw fromView()
    return true
  }
  override update(_principal: unknown, { name }: Named) {
    if (name === 'update') throw fromUpdate()
    return true
  }
  override delete(_principal: unknown, { name }: Named) {
    if (name === 'delete') throw fromDelete()
    return true
  }
  viewTrashed() {
    return true
  }
  restore() {
    return true
  }
  forceDelete() {
    return true
  }
  ship(_principal: unknown, { name }: Named) {
    if (name === 'ability') throw fromAbility()
    return true
  }
  count() {
    return true
  }
}

class ShelfPolicy extends Policy<Shelf> {
  static override readonly needs = { view: [], update: [], delete: [] }

  override viewAny() {
    return true
  }
  override view() {
    return true
  }
  override create() {
    return true
  }
  override update() {
    return true
  }
  override delete() {
    return true
  }
}

/** As in `actions/count.ts`. */
const count = defineAction(Crate, {
  on: 'collection',
  answers: 'noContent',
  errors: [fromFile],
  handle: ({ principal }) => {
    if (principal === null) throw fromFile()
    return noContent()
  },
})

const crates = defineResource(Crate, {
  type: 'crates',
  fields: ({ id, string, belongsTo }) => [
    id(),
    string('name')
      .required()
      .rule((value) => {
        if (value === 'rule') throw fromRule()
        return undefined
      }),
    belongsTo('shelf', 'shelves'),
  ],
  filters: ({ custom }) => [
    custom('named').condition((value) => {
      if (value === 'filter') throw fromFilter()
      return compare('name', '=', String(value))
    }),
  ],
  softDeletes: true,
  policy: CratePolicy,
  errors: [fromHook, fromRule, fromFilter, fromRead, fromTrash],
  beforeCreate: ({ name }) => {
    if (name === 'hook') throw fromHook({ name })
  },
  beforeUpdate: ({ name }) => {
    if (name === 'hook') throw fromHook({ name }, { status: 422 })
  },
  beforeRestore: ({ name }) => {
    if (name === 'trash') throw fromTrash()
  },
  afterFetchOne: ({ name }) => {
    if (name === 'read') throw fromRead()
  },
  actions: ({ action }) => [
    action('ship', {
      answers: 'noContent',
      errors: [fromAction],
      handle: () => {
        throw fromAction()
      },
    }),
    { ...count, name: 'count' },
  ],
})

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, hasMany }) => [id(), hasMany('crates', 'crates')],
  policy: ShelfPolicy,
})

interface Folders {
  readonly crates: { readonly resource: typeof crates; readonly actions: { readonly count: typeof count } }
  readonly shelves: { readonly resource: typeof shelves }
}

type Errors = ApiOf<Folders, 'default', Record<never, never>>['errors']

/** The statuses of each code in the types of clients. */
const statuses: { readonly [Code in keyof Errors]: readonly Errors[Code][] } = {
  FROM_HOOK: [409, 422],
  FROM_RULE: [422],
  FROM_FILTER: [400],
  FROM_READ: [410],
  FROM_TRASH: [409],
  FROM_VIEW_ANY: [403],
  FROM_SCOPE: [429],
  FROM_VIEW: [403],
  FROM_CREATE: [402],
  FROM_UPDATE: [423],
  FROM_DELETE: [403],
  FROM_ABILITY: [403],
  FROM_ACTION: [409],
  FROM_FILE: [424],
}

/** The rows of crates; the id of each is its position, from 1. The second is on the second shelf, others on the first. */
const names = ['plain', 'view', 'update', 'delete', 'ability', 'read', 'trash'] as const
const idOf = (name: (typeof names)[number]) => String(names.indexOf(name) + 1)
const crate = (name: string, id?: string) => ({ data: { type: 'crates', ...(id && { id }), attributes: { name } } })
const member = { data: [{ type: 'crates', id: idOf('update') }] }
const shelf = (id?: string) => ({ data: { type: 'shelves', ...(id && { id }), relationships: { crates: member } } })

interface Case {
  readonly throws: ErrorFactory
  readonly status?: number
  /** The path and method in the OpenAPI document. */
  readonly operation: readonly [path: string, method: string]
  /** The path of the request; default: that of the operation. */
  readonly path?: string
  readonly body?: object
  readonly throwing?: typeof CratePolicy.throwing
}

const cases: readonly Case[] = [
  { throws: fromHook, operation: ['/crates', 'post'], body: crate('hook') },
  { throws: fromHook, status: 422, operation: ['/crates/{id}', 'patch'], path: '/crates/1', body: crate('hook', '1') },
  { throws: fromRule, operation: ['/crates', 'post'], body: crate('rule') },
  { throws: fromFilter, operation: ['/crates', 'get'], path: '/crates?filter[named]=filter' },
  { throws: fromRead, operation: ['/crates/{id}', 'get'], path: `/crates/${idOf('read')}` },
  {
    throws: fromTrash,
    operation: ['/crates/{id}/-actions/restore', 'post'],
    path: `/crates/${idOf('trash')}/-actions/restore`,
  },
  { throws: fromViewAny, operation: ['/crates', 'get'], throwing: 'viewAny' },
  { throws: fromScope, operation: ['/shelves/{id}/crates', 'get'], path: '/shelves/1/crates', throwing: 'scope' },
  { throws: fromScope, operation: ['/shelves', 'get'], path: '/shelves?include=crates', throwing: 'scope' },
  { throws: fromView, operation: ['/crates/{id}', 'get'], path: `/crates/${idOf('view')}` },
  { throws: fromView, operation: ['/shelves/{id}', 'get'], path: '/shelves/2?include=crates' },
  { throws: fromCreate, operation: ['/crates', 'post'], body: crate('any'), throwing: 'create' },
  {
    throws: fromUpdate,
    operation: ['/crates/{id}', 'patch'],
    path: `/crates/${idOf('update')}`,
    body: crate('any', idOf('update')),
  },
  {
    throws: fromUpdate,
    operation: ['/shelves/{id}/relationships/crates', 'patch'],
    path: '/shelves/2/relationships/crates',
    body: member,
  },
  { throws: fromUpdate, operation: ['/shelves', 'post'], body: shelf() },
  { throws: fromUpdate, operation: ['/shelves/{id}', 'patch'], path: '/shelves/2', body: shelf('2') },
  { throws: fromDelete, operation: ['/crates/{id}', 'delete'], path: `/crates/${idOf('delete')}` },
  {
    throws: fromDelete,
    operation: ['/operations', 'post'],
    body: { 'atomic:operations': [{ op: 'remove', ref: { type: 'crates', id: idOf('delete') } }] },
  },
  {
    throws: fromAbility,
    operation: ['/crates/{id}/-actions/ship', 'post'],
    path: `/crates/${idOf('ability')}/-actions/ship`,
  },
  { throws: fromAction, operation: ['/crates/{id}/-actions/ship', 'post'], path: '/crates/1/-actions/ship' },
  { throws: fromFile, operation: ['/crates/-actions/count', 'post'] },
]

describe('Errors that functions of resources, policies and actions throw', () => {
  let database: TestDatabase
  let testApp: TestApp
  const warnings: string[] = []
  before(async () => {
    database = await openTestDatabase({ entities: [Shelf, Crate], migrations: [] })
    await database.orm.schema.create()
    const connection = database.orm.em.getConnection()
    await connection.execute('insert into shelves default values')
    await connection.execute('insert into shelves default values')
    for (const name of names) {
      const deletedAt = name === 'trash' ? 'now()' : 'null'
      const values = `'${name}', ${deletedAt}, ${name === 'view' ? 2 : 1}`
      await connection.execute(`insert into crates (name, deleted_at, shelf_id) values (${values})`)
    }
    const resources = [crates, shelves].map((resource) => ({ file: 'resources/crates/resource.ts', resource }))
    const warn = (_fields: object, text: string) => void warnings.push(text)
    const logger = { error: warn, warn, info: () => {}, debug: () => {} } as unknown as App['logger']
    testApp = await startApp({ database, resources, logger })
  })
  after(async () => {
    await testApp?.close()
    await database.close()
  })
  afterEach(() => {
    CratePolicy.throwing = null
  })

  const sendCase = ({ operation: [pattern, method], path = pattern, body, throwing = null }: Case) => {
    CratePolicy.throwing = throwing
    const headers = pattern === '/operations' ? { 'content-type': atomicMediaType, accept: atomicMediaType } : {}
    return testApp.client.send(method.toUpperCase(), path, { body, headers })
  }

  it('are one of each kind', () => {
    const codes = cases.map(({ throws }) => throws.definition.code)
    expect([...new Set(codes)]).to.have.members(thrown.map(({ definition }) => definition.code))
  })

  for (const one of cases) {
    const { throws, status = throws.definition.status, operation } = one
    const [path, method] = operation
    it(`${throws.definition.code} is sent and described by ${method.toUpperCase()} ${path}`, async () => {
      const response = await sendCase(one)
      expect([response.status, response.body.errors?.[0]?.code], response.text).to.deep.equal([
        status,
        throws.definition.code,
      ])
      expect(warnings).to.deep.equal([])
      const { paths, components } = JSON.parse((await testApp.client.get('/docs.json', { accept: '*/*' })).text)
      const described = paths[path][method].responses[status]
      const { description } = components.responses[described.$ref?.split('/').at(-1)] ?? described
      expect(description).to.include(`\`${throws.definition.code}\``)
    })
  }

  it('are on the page /errors, and with their statuses in both forms of the types of clients', async () => {
    const { client } = testApp
    const page = await client.get('/errors', { accept: 'text/html' })
    const types = await client.get('/client-types.d.ts', { accept: '*/*' })
    for (const { definition } of thrown) {
      expect(page.text).to.include(`id="${definition.code}"`)
      const text = statuses[definition.code as keyof Errors].join(' | ')
      expect(types.text).to.include(`  readonly ${definition.code}: ${text}\n`)
    }
  })
})
