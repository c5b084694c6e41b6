import { expect } from 'chai'
import createError from 'http-errors'
import { plugins } from '#app/plugins.ts'
import { compare, defineResource, type Resource } from '#kernel'
import { addSteps, type Operation, type Plugin } from '#kernel/plugin'
import type { PolicyContext, PolicyInput } from '#plugins/authorization/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { add, addAs, remove, sendBatch } from '#test/support/batch.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { checkSteps, scopeSteps, typeSteps } from '#test/template/support/type-steps.ts'
import { OpenPolicy } from '../../../../plugins/authorization/test/open-policy.ts'

// Creates of one type that stand side by side in a batch share an insert, but behave as operations one after the other.

const execute = async (sql: string) => (await libraryDatabase()).orm.em.getConnection().execute(sql)
const namesOfShelves = async () => (await execute('select name from shelves order by id')).map(({ name }) => name)
const addShelves = (...names: string[]) => names.map((name) => add('shelves', { name }))
const refuse = () => {
  throw createError(409, 'Refused by a hook.')
}
const isB = ({ input }: Operation) => input?.attributes?.name === 'B'

describe('Creates side by side in a batch', () => {
  let library: TestApp
  const start = async (hooks: Partial<Plugin>, ...resources: readonly Resource[]) => {
    library = await startLibrary({
      plugins: [...plugins, { name: 'observing', ...hooks }],
      ...(resources.length > 0 && { resources: resources.map((resource) => ({ file: 'test', resource })) }),
      undescribed: ['default', 'admin'],
    })
    return library.client
  }
  beforeEach(emptyLibrary)
  afterEach(() => library.close())
  after(emptyLibrary)

  describe('whose checks read the database', () => {
    class AtMostTwo extends OpenPolicy {
      override async create(_principal: unknown, _input: PolicyInput, { unit }: PolicyContext) {
        return (await unit.em.count(Shelf)) < 2
      }
    }
    const shelvesWith = (policy: typeof OpenPolicy) =>
      defineResource(Shelf, { type: 'shelves', fields: ({ id, string }) => [id(), string('name')], policy })

    it('are refused from the row on that exceeds the limit of a policy', async () => {
      const client = await start({}, shelvesWith(AtMostTwo))
      const { status, body } = await sendBatch(client, addShelves('A', 'B', 'C', 'D'))
      expect([status, body.errors[0].source]).to.deep.equal([401, { pointer: '/atomic:operations/2' }])
      expect(await namesOfShelves()).to.deep.equal([])
    })

    it('are created if a policy requires the row of the first for the others', async () => {
      class FirstIsA extends OpenPolicy {
        override async create(_principal: unknown, { attributes }: PolicyInput, { unit }: PolicyContext) {
          return attributes.name === 'A' || (await unit.em.count(Shelf, { name: 'A' })) === 1
        }
      }
      const client = await start({}, shelvesWith(FirstIsA))
      expect((await sendBatch(client, addShelves('A', 'B', 'C'))).status).to.equal(200)
      expect((await sendBatch(client, addShelves('D'))).status).to.equal(200)
      await emptyLibrary()
      expect((await sendBatch(client, addShelves('B', 'A'))).status).to.equal(401)
    })

    it('are created while the limit of a policy allows it', async () => {
      const client = await start({}, shelvesWith(AtMostTwo))
      expect((await sendBatch(client, addShelves('A', 'B'))).status).to.equal(200)
      expect(await namesOfShelves()).to.deep.equal(['A', 'B'])
    })

    for (const stage of ['check', 'validate'] as const) {
      it(`are refused from the row on that exceeds the limit of ${stage}`, async () => {
        const check = async ({ context: { unit } }: Operation) => {
          const [row] = await unit.run('select count(*)::int as count from shelves', [])
          return Number(row?.count) < 2 ? undefined : refuse()
        }
        const client = await start({
          plan: addSteps(
            stage === 'check' ? { check } : { validate: { of: 'row', check: async (one) => void (await check(one)) } },
          ),
        })
        const { status, body } = await sendBatch(client, addShelves('A', 'B', 'C'))
        expect([status, body.errors[0].source]).to.deep.equal([409, { pointer: '/atomic:operations/2' }])
        expect(await namesOfShelves()).to.deep.equal([])
      })
    }

    it('are refused by uniqueEntity() if two have the same value', async () => {
      const shelves = defineResource(Shelf, {
        type: 'shelves',
        fields: ({ id, string }) => [id(), string('name').uniqueEntity(['name'])],
        policy: 'open',
      })
      const client = await start({}, shelves)
      const { status, body } = await sendBatch(client, addShelves('A', 'B', 'A'))
      expect(status).to.equal(422)
      expect(body.errors[0].source.pointer).to.match(/^\/atomic:operations\/2\//)
    })

    it('are refused if a policy allows to link a member once', async () => {
      class LinkedOnce extends OpenPolicy {
        async linkable(_principal: unknown, _row: unknown, { unit }: PolicyContext) {
          return (await unit.run('select 1 from book_tags', [])).length === 0
        }
      }
      const tag = '00000000-0000-4000-8000-000000000001'
      await execute(`insert into tags (id, name) values ('${tag}', 'novel')`)
      const client = await start(
        {},
        defineResource(Tag, {
          type: 'tags',
          fields: ({ id, string }) => [id().uuid(), string('name')],
          policy: LinkedOnce,
        }),
        defineResource(Book, {
          type: 'books',
          fields: ({ id, string, belongsToMany }) => [id(), string('title'), belongsToMany('tags', 'tags')],
          policy: 'open',
        }),
      )
      const linked = { tags: [{ type: 'tags', id: tag }] }
      const one = await sendBatch(client, [add('books', { title: 'A' }, linked)])
      await execute('delete from book_tags')
      const two = await sendBatch(client, [add('books', { title: 'B' }, linked), add('books', { title: 'C' }, linked)])
      expect([one.status, two.status]).to.deep.equal([200, 401])
    })
  })

  it('run one after the other for hooks that see the row', async () => {
    const calls: string[] = []
    const note = (hook: string) => (operation: Operation) => {
      calls.push(`${hook} ${operation.input?.attributes?.name}`)
      return undefined
    }
    const client = await start({
      plan: addSteps({ check: note('check'), afterOperation: note('afterOperation') }),
      ...checkSteps('written', note('checkRows')),
    })
    await sendBatch(client, addShelves('A', 'B'))
    const each = ['check', 'checkRows', 'afterOperation']
    expect(calls).to.deep.equal(['A', 'B'].flatMap((name) => each.map((hook) => `${hook} ${name}`)))
  })

  const refusing: Readonly<Record<string, Partial<Plugin>>> = {
    afterOperation: {
      plan: addSteps({
        afterOperation: (operation) => (isB(operation) ? refuse() : undefined),
      }),
    },
    'a scope of written rows': scopeSteps('written', () => compare('name', '!=', 'B'), ['shelves']),
    beforeRender: typeSteps({
      beforeRender: (_, rows) => (rows.some(({ name }) => name === 'B') ? refuse() : undefined),
    }),
  }
  for (const [hook, hooks] of Object.entries(refusing)) {
    it(`are refused with the pointer of the operation that ${hook} refuses`, async () => {
      const { body } = await sendBatch(await start(hooks), addShelves('A', 'B'))
      expect(body.errors[0].source).to.deep.equal({ pointer: '/atomic:operations/1' })
      expect(await namesOfShelves()).to.deep.equal([])
    })
  }

  it('are not repeated after an error of the server: the insert may have been committed', async () => {
    const client = await start({})
    await execute('create sequence attempts') // not rolled back
    await execute(`create function fail() returns trigger language plpgsql as $$ begin
      perform nextval('attempts'); raise exception using errcode = 'admin_shutdown'; end $$`)
    await execute('create trigger failing before insert on shelves for each statement execute function fail()')
    try {
      expect((await sendBatch(client, addShelves('A', 'B'))).status).to.equal(503)
      expect(await execute('select last_value::int from attempts')).to.deep.equal([{ last_value: 1 }])
    } finally {
      for (const object of ['trigger failing on shelves', 'function fail', 'sequence attempts']) {
        await execute(`drop ${object}`)
      }
    }
  })

  it('end with the first error, if a check returns it', async () => {
    const error = { kind: 'error', status: 409, errors: [{ status: '409' }] } as const
    const client = await start({ plan: addSteps({ check: (operation) => (isB(operation) ? error : undefined) }) })
    const { status, body } = await sendBatch(client, [...addShelves('A', 'B'), add('shelves', { name: 7 })])
    expect([status, body.errors[0].source]).to.deep.equal([409, { pointer: '/atomic:operations/1' }])
  })

  it('hide their results if a hook says so', async () => {
    const client = await start({
      plan: addSteps({
        check(operation) {
          operation.hidesResult = true
          return undefined
        },
      }),
    })
    expect((await sendBatch(client, addShelves('A', 'B'))).status).to.equal(204)
    expect(await namesOfShelves()).to.deep.equal(['A', 'B'])
  })

  describe('that name a resource of the batch by its local id', () => {
    const books = defineResource(Book, {
      type: 'books',
      fields: ({ id, string, belongsTo }) => [id(), string('title'), belongsTo('shelf', 'shelves')],
      policy: 'open',
    })
    const shelved = { shelf: { type: 'shelves', lid: 's' } }

    it('are a 404 if the resource was moved to the trash meanwhile', async () => {
      class Trash extends OpenPolicy {
        restore = () => true
        forceDelete = () => true
      }
      const shelves = defineResource(Shelf, {
        type: 'shelves',
        fields: ({ id, string }) => [id(), string('name')],
        policy: Trash,
        softDeletes: { property: 'removedAt' },
      })
      const client = await start({}, shelves, books)
      const operations = [addAs('s', 'shelves', { name: 'A' }), remove({ type: 'shelves', lid: 's' })]
      const { status, body } = await sendBatch(client, [...operations, add('books', { title: 'B' }, shelved)])
      expect([status, body.errors[0].source.pointer]).to.deep.equal([
        404,
        '/atomic:operations/2/data/relationships/shelf/data',
      ])
    })

    it('are a 404 if the requester may not view the resource', async () => {
      class Unseen extends OpenPolicy {
        override view = () => false
      }
      const shelves = defineResource(Shelf, {
        type: 'shelves',
        fields: ({ id, string }) => [id(), string('name')],
        policy: Unseen,
      })
      const client = await start({}, shelves, books)
      const operations = [addAs('s', 'shelves', { name: 'A' }), add('books', { title: 'B' }, shelved)]
      expect((await sendBatch(client, operations)).status).to.equal(404)
    })
  })
})
