import { expect } from 'chai'
import createError from 'http-errors'
import { plugins } from '#app/plugins.ts'
import { addSteps, type Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { sendBatch } from '#test/support/batch.ts'
import type { Book } from '#test/template/support/library/entities.ts'
import { Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { typeSteps } from '#test/template/support/type-steps.ts'

const execute = async (sql: string) => (await libraryDatabase()).orm.em.getConnection().execute(sql)
const refusal = { kind: 'error', status: 409, errors: [{ status: '409' }] } as const
const tag = '00000000-0000-4000-8000-000000000001'
const emma = { data: { type: 'books', id: '101', attributes: { title: 'Persuasion' } } }

let library: TestApp | undefined
async function start(hooks: Partial<Plugin>) {
  library = await startLibrary({
    plugins: [...plugins, { name: 'tested', ...hooks }],
    undescribed: ['default', 'admin'],
  })
  return library.client
}

describe('A hook of a plugin', () => {
  beforeEach(async () => {
    await emptyLibrary()
    await execute("insert into books (id, title) values (101, 'Emma')")
    await execute(`insert into tags (id, name) values ('${tag}', 'novel')`)
  })
  afterEach(async () => {
    await library?.close()
    library = undefined
  })
  after(emptyLibrary)

  for (const [path, hooks] of Object.entries({ fast: {}, regular: { beforeSave() {} } })) {
    it(`receives the stored subject, if it is a precondition, on the ${path} path`, async () => {
      const titles: unknown[] = []
      const client = await start({
        plan: addSteps({
          ...hooks,
          precondition: () => (subject) => {
            titles.push((subject as Book).title)
          },
        }),
      })
      await client.patch('/books/101', emma)
      expect(titles).to.deep.equal(['Emma'])
    })
  }

  it('runs for every URL if it is middleware, and for resources and their errors if it is the step respond', async () => {
    const calls: string[] = []
    const client = await start({
      middleware: () => (ctx, next) => {
        calls.push(`middleware ${ctx.path}`)
        return next()
      },
      plan: addSteps({ respond: ({ ctx }) => void calls.push(`respond ${ctx.path}`) }),
    })
    for (const path of ['/books', '/books/99', '/nope', '/docs.json']) await client.get(path, { accept: '*/*' })
    expect(calls).to.deep.equal([
      ...['middleware /books', 'respond /books', 'middleware /books/99', 'respond /books/99'],
      ...['middleware /nope', 'middleware /docs.json'],
    ])
  })

  it('rolls a create back, if beforeRelationLoad throws after its statement', async () => {
    const client = await start({
      onCompile({ types }) {
        for (const { relations } of types.values()) for (const relation of relations) relation.hasReadAbility = true
      },
      ...typeSteps({
        beforeRelationLoad() {
          throw createError(409)
        },
      }),
    })
    const created = { type: 'tags', id: tag.replace(/1$/, '2'), attributes: { name: 'irony' } }
    const single = await client.post('/tags', { data: created })
    const batch = await sendBatch(client, [{ op: 'add', data: created }])
    const names = (await execute('select name from tags')).map(({ name }) => name)
    expect([single.status, batch.status, names]).to.deep.equal([409, 409, ['novel']])
  })

  it('rolls its writes back, if a step of transaction returns an error', async () => {
    const client = await start({
      plan: addSteps({
        transaction({ unit }) {
          unit.em.create(Shelf, { name: 'Audit' } as never)
          return refusal
        },
      }),
    })
    const { status } = await client.patch('/books/101', emma)
    expect([status, await execute('select name from shelves')]).to.deep.equal([409, []])
  })

  for (const hook of ['transaction', 'check', 'afterOperation', 'afterCommit'] as const) {
    it(`has its error response sent without the stage document, if it is ${hook}`, async () => {
      let calls = 0
      const client = await start({ plan: addSteps({ [hook]: () => refusal, document: () => void calls++ }) })
      const { status } = await client.patch('/books/101', emma)
      expect([status, calls]).to.deep.equal([409, 0])
    })
  }

  it('adds meta to a relationship document', async () => {
    const client = await start({
      plan: addSteps({
        afterOperation: (_operation, response) => ({ ...response, meta: { audited: true } }) as never,
      }),
    })
    const { body } = await client.post('/books/101/relationships/tags', { data: [{ type: 'tags', id: tag }] })
    expect(body.meta).to.deep.equal({ audited: true })
  })
})
