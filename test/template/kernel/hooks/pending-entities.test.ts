import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { addSteps, type Plugin, type RequestTransaction, type Validation } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { add, sendBatch } from '#test/support/batch.ts'
import type { Client } from '#test/support/client.ts'
import { Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { checkSteps } from '#test/template/support/type-steps.ts'

// Hooks may create or change entities of `unit.em` without a flush: they are saved with the commit, as MikroORM does it.

type Unit = RequestTransaction['unit']

const record = ({ em }: Unit, name = 'Audit'): void => {
  em.create(Shelf, { name } as never)
}

const recording: Readonly<Record<string, Partial<Plugin>>> = {
  transaction: { plan: addSteps({ transaction: ({ unit }) => void record(unit) }) },
  check: { plan: addSteps({ check: ({ context }) => void record(context.unit) }) },
  validate: { plan: addSteps({ validate: { of: 'row', check: ({ context }) => record(context.unit) } }) },
  beforeSave: { plan: addSteps({ beforeSave: ({ context }) => record(context.unit) }) },
  afterSave: { plan: addSteps({ afterSave: ({ context }) => void record(context.unit) }) },
  checkRows: checkSteps('written', ({ context }) => record(context.unit)),
  afterOperation: { plan: addSteps({ afterOperation: ({ context }) => void record(context.unit) }) },
  beforeCommit: { plan: addSteps({ transaction: ({ unit, beforeCommit }) => beforeCommit(() => record(unit)) }) },
}

const persuasion = { data: { type: 'books', attributes: { title: 'Persuasion' } } }
const emma = { data: { type: 'books', id: '101', attributes: { title: 'Emma Woodhouse' } } }
const requests = {
  'a create': (client: Client) => client.post('/books', persuasion),
  'an update': (client: Client) => client.patch('/books/101', emma),
  'a batch': (client: Client) => sendBatch(client, [add('books', { title: 'Sanditon' })]),
  'a deletion': (client: Client) => client.delete('/books/101'),
}
/** The hooks that run for a deletion. */
const hooksOfDeletion = new Set(['transaction', 'check', 'afterOperation', 'beforeCommit'])

const execute = async (sql: string) => (await libraryDatabase()).orm.em.getConnection().execute(sql)
const shelves = async () => (await execute('select name from shelves')).map(({ name }) => name)

for (const [hook, hooks] of Object.entries(recording)) {
  describe(`An entity that ${hook} creates`, () => {
    let library: TestApp
    before(async () => {
      library = await startLibrary({ plugins: [...plugins, { name: 'recording', ...hooks }] })
    })
    beforeEach(async () => {
      await emptyLibrary()
      await execute("insert into books (id, title) values (101, 'Emma')")
    })
    after(async () => {
      await library.close()
      await emptyLibrary()
    })

    for (const [kind, send] of Object.entries(requests)) {
      if (kind === 'a deletion' && !hooksOfDeletion.has(hook)) continue
      it(`is saved with ${kind}`, async () => {
        const { status, text } = await send(library.client)
        expect(status, text).to.be.within(200, 204)
        expect(await shelves()).to.deep.equal(['Audit'])
      })
    }
  })
}

describe('A write with an entity that the database refuses', () => {
  let library: TestApp
  before(async () => {
    await emptyLibrary()
    const validate: Validation = { of: 'row', check: ({ context }) => record(context.unit, null as never) }
    const hooks: Partial<Plugin> = { plan: addSteps({ validate }) }
    library = await startLibrary({ plugins: [...plugins, { name: 'recording', ...hooks }] })
    await execute("insert into books (id, title) values (101, 'Emma')")
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  it('is rolled back', async () => {
    const { status } = await library.client.patch('/books/101', emma)
    expect(status).to.be.at.least(400)
    expect(await execute('select title from books')).to.deep.equal([{ title: 'Emma' }])
  })
})
