import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineError, defineResource, type Principal } from '#kernel'
import type { App } from '#kernel/plugin'
import { defineAction, noContent } from '#plugins/actions/index.ts'
import { Policy } from '#plugins/authorization/index.ts'
import { buildApp, startApp, type TestApp } from '#test/support/app.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'

const boxFull = defineError('BOX_FULL', 409, 'Box is full', 'The box holds {count} items.', {
  when: 'A box has no room.',
  otherStatuses: [422],
})
const boxSealed = defineError('BOX_SEALED', 403, 'Box is sealed', 'The box {name} is sealed.')
const boxEmpty = defineError('BOX_EMPTY', 409, 'Box is empty', 'Nothing to ship.')
const boxLost = defineError('BOX_LOST', 404, 'Box is lost', 'The box was lost in {place}.')
const unlisted = defineError('UNLISTED', 409, 'Unlisted', 'No declaration lists this error.')

const schema = defineEntity({
  name: 'Box',
  tableName: 'boxes',
  properties: { id: p.integer().primary().autoincrement(), name: p.text() },
})
class Box extends schema.class {}
schema.setClass(Box)

class BoxPolicy extends Policy<Box> {
  static override readonly needs = { view: [], update: ['name'] as const }
  static override readonly errors = [boxSealed]

  override viewAny() {
    return true
  }
  override view() {
    return true
  }
  override create() {
    return true
  }
  override update(_principal: Principal | null, { name }: { readonly name: string }) {
    if (name === 'sealed') throw boxSealed({ name })
    return true
  }
  delete() {
    return true
  }
  ship() {
    return true
  }
  find() {
    return true
  }
}

const boxes = defineResource(Box, {
  type: 'boxes',
  fields: ({ id, string }) => [id(), string('name').required()],
  policy: BoxPolicy,
  errors: [boxFull],
  beforeCreate: ({ name }) => {
    if (name === 'full') throw boxFull({ count: 9 })
    if (name === 'unlisted') throw unlisted()
  },
  actions: ({ action }) => [
    action('ship', {
      answers: 'noContent',
      errors: [boxEmpty],
      handle: () => {
        throw boxEmpty()
      },
    }),
    { ...findAction(), name: 'find' },
  ],
})

/** As in a file of its own in `actions/`. */
function findAction() {
  return defineAction(Box, {
    on: 'collection',
    answers: 'noContent',
    errors: [boxLost],
    handle: ({ principal }) => {
      if (principal === null) throw boxLost({ place: 'transit' })
      return noContent()
    },
  })
}

const resources = [{ file: 'resources/boxes/resource.ts', resource: boxes }]
const declared = [boxFull, boxSealed, boxEmpty, boxLost].map(({ definition }) => definition)

describe('Errors that a resource, a policy or an action declares', () => {
  let database: TestDatabase
  let testApp: TestApp
  const warnings: string[] = []
  before(async () => {
    database = await openTestDatabase({ entities: [Box], migrations: [] })
    await database.orm.schema.create()
    const warn = (_fields: object, text: string) => void warnings.push(text)
    const logger = { error: warn, warn, info: () => {}, debug: () => {} } as unknown as App['logger']
    testApp = await startApp({ database, resources, logger })
  })
  after(async () => {
    await testApp?.close()
    await database.close()
  })

  const create = async (name: string) => {
    const data = { type: 'boxes', attributes: { name } }
    return testApp.client.post('/boxes', { data })
  }

  it('are sent with a link to the page of errors when they are thrown', async () => {
    const { client } = testApp
    const sealed = (await create('sealed')).body.data.id
    const data = { type: 'boxes', id: sealed, attributes: { name: 'open' } }
    const responses = [
      await create('full'),
      await client.patch(`/boxes/${sealed}`, { data }),
      await client.send('POST', `/boxes/${sealed}/-actions/ship`),
      await client.send('POST', '/boxes/-actions/find'),
    ]
    for (const [index, { status, body }] of responses.entries()) {
      const { code, status: expected } = declared[index] as (typeof declared)[number]
      expect([status, body.errors[0].code]).to.deep.equal([expected, code])
      expect(body.errors[0].links.type).to.equal(`${client.url}/errors#${code}`)
    }
    expect(warnings).to.deep.equal([])
  })

  it('are on the page /errors, in the OpenAPI document of their operations and in the types of clients', async () => {
    const { client } = testApp
    const page = await client.get('/errors', { accept: 'text/html' })
    const { paths, components } = JSON.parse((await client.get('/docs.json', { accept: '*/*' })).text)
    const types = (await client.get('/client-types.d.ts', { accept: '*/*' })).text
    for (const { code } of declared) expect(page.text).to.include(`id="${code}"`)
    const textOf = (path: string, method: string) => JSON.stringify(resolve(paths[path][method].responses, components))
    expect(textOf('/boxes', 'post')).to.include('BOX_FULL').and.to.include('BOX_SEALED')
    expect(textOf('/boxes', 'get')).to.include('BOX_FULL').and.not.to.include('BOX_EMPTY')
    expect(textOf('/boxes/{id}/-actions/ship', 'post')).to.include('BOX_EMPTY').and.to.include('BOX_SEALED')
    expect(textOf('/boxes/-actions/find', 'post')).to.include('BOX_LOST').and.not.to.include('BOX_EMPTY')
    expect(types).to.include('  readonly BOX_FULL: 409 | 422\n')
    expect(types).to.include('  readonly BOX_SEALED: 403\n')
    expect(types).to.include('  readonly BOX_EMPTY: 409\n')
    expect(types).to.include('  readonly BOX_LOST: 404\n')
    expect(types).not.to.include('UNLISTED')
  })

  it('are logged once with the key to add when no declaration lists them', async () => {
    for (const _ of [1, 2]) expect((await create('unlisted')).body.errors[0].code).to.equal('UNLISTED')
    expect(warnings).to.deep.equal([
      'UNLISTED is not declared: add it to errors of the resource, action or policy that throws it; /errors, the OpenAPI document and typed clients do not list it',
    ])
  })

  it('are boot errors when their code is that of another error, or when they are not errors', async () => {
    const taken = defineError('CONFLICT', 409, 'Conflict', 'Taken.')
    const start = (errors: readonly unknown[]) => {
      const resource = { ...boxes, declaration: { ...boxes.declaration, errors } } as typeof boxes
      return buildApp({ database, resources: [{ file: 'resources/boxes/resource.ts', resource }] }).then(
        () => '',
        ({ message }: Error) => message,
      )
    }
    expect(await start([taken])).to.include(`Another error has the code 'CONFLICT': choose another code.`)
    expect(await start([new Error('no')])).to.include('It is a list of errors, as defineError() returns them.')
  })
})

/** The responses with their components instead of references. */
function resolve(
  responses: Record<string, { $ref?: string }>,
  components: { responses: Record<string, object> },
): object[] {
  return Object.values(responses).map(({ $ref, ...response }) => {
    return $ref ? (components.responses[$ref.split('/').at(-1) as string] ?? {}) : response
  })
}
