import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineError } from '#kernel/errors'
import { addSteps, type Plugin } from '#kernel/plugin'
import { all, compare } from '#kernel/queries'
import { observeStatements, type Statement } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { add, expectFailure, readResults, relate, remove, sendBatch, update } from '#test/support/batch.ts'
import type { ClientResponse } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { fillLibrary, fillShelves } from '#test/template/specification/library-rows.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { publicationResources } from '#test/template/support/library/publications.ts'
import { libraryResources } from '#test/template/support/library/resources.ts'
import { scopeSteps } from '#test/template/support/type-steps.ts'

// Batches that change the same rows in opposite orders. Without a fixed order of locks they deadlock.

const clients = 20
const batchesPerClient = 10
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

type Operations = readonly object[]

const book = (id: number, position = 1) => update({ type: 'books', id: String(id) }, { position })
const shelf = (id: number, name = 'Drama') => update({ type: 'shelves', id: String(id) }, { name })
const move = (to: number, ...books: readonly number[]) =>
  relate(
    'add',
    { type: 'shelves', id: String(to), relationship: 'books' },
    books.map((id) => ({ type: 'books', id: String(id) })),
  )

describe('Concurrent batches that change the same rows in opposite order', () => {
  let app: TestApp

  before(async () => {
    app = await startLibrary({ resources: [...libraryResources, ...publicationResources] })
  })
  beforeEach(fillLibrary)
  after(async () => {
    await app.close()
    await emptyLibrary()
  })

  const cases: Readonly<Record<string, Operations>> = {
    'rows of one type': [book(2), book(1)],
    'rows of two types': [shelf(2), book(1), shelf(1)],
    'members of a has-many': [move(1, 3, 1), move(2, 2)],
    'rows of two types that share a table': [
      update({ type: 'publications', id: '1' }, { name: 'Emma' }),
      update({ type: 'magazines', id: '2' }, { name: 'Emma' }),
    ],
  }
  for (const [rows, operations] of Object.entries(cases)) {
    it(`succeed without a retry when ${clients} clients change ${rows}`, async () => {
      await execute(`insert into publications (id, kind, name) values (1, 'magazine', 'A'), (2, 'magazine', 'B')`)
      const { answers, begins } = await sendOpposite(app, operations)
      expect(answers.filter(({ status }) => status !== 200 && status !== 204)).to.deep.equal([])
      expect(begins).to.equal(clients * batchesPerClient)
    })
  }

  it('update 20 rows as a whole', async () => {
    await fillShelves(20)
    const ids = numbers(20).map((index) => index + 1)
    const up = ids.map((id) => shelf(id, 'up'))
    const answers = await Promise.all([up, ids.toReversed().map((id) => shelf(id, 'down'))].map(send))
    for (const answer of answers) expect(readResults(answer)).to.have.length(20)
    expect(await execute('select distinct name from shelves')).to.have.length(1)
  })

  it('return 200 for one batch and 404 for the others when each of them deletes the rows', async () => {
    const batch = [1, 2].map((id) => remove({ type: 'books', id: String(id) }))
    const { answers, begins } = await sendOpposite(app, batch, 1)
    const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other)
    expect(statuses).to.deep.equal([204, ...Array(clients - 1).fill(404)])
    expect(begins).to.equal(clients)
  })

  const send = (operations: Operations) => sendBatch(app.client, operations)
})

/** Sends the operations in their order and in the opposite order, half of the batches each. */
async function sendOpposite({ client }: TestApp, operations: Operations, batches = batchesPerClient) {
  const statements: Statement[] = []
  const stop = observeStatements((statement) => statements.push(statement))
  const answers: ClientResponse[] = []
  const run = async (index: number) => {
    for (let batch = 0; batch < batches; batch++) {
      answers.push(await sendBatch(client, (index + batch) % 2 ? operations : operations.toReversed()))
    }
  }
  await Promise.all(numbers(clients).map(run))
  stop()
  return { answers, begins: statements.filter(({ sql }) => sql === 'begin').length }
}

describe('Row locks of a batch', () => {
  let app: TestApp
  const hiddenRows: Plugin = {
    name: 'hidden-rows',
    ...scopeSteps('addressed', ({ name }) => {
      if (name === 'labels') throw labelsClosed()
      return name === 'books' ? all(compare('id', '!=', 3)) : undefined
    }),
  }

  before(async () => {
    app = await startLibrary({ plugins: [...plugins, hiddenRows] })
  })
  beforeEach(fillLibrary)
  after(async () => {
    await app.close()
    await emptyLibrary()
  })

  const locksOf = async (operations: Operations) => {
    const statements = await statementsOf(() => sendBatch(app.client, operations))
    return statements.filter(({ sql }) => sql.startsWith('select 1 from'))
  }

  it('are one statement per table, in the order of the tables', async () => {
    const operations = [shelf(2), book(2), book(1), shelf(1), move(1, 4)]
    const locks = await locksOf(operations)
    expect(locks.map(({ sql }) => /from "(\w+)"/.exec(sql)?.[1])).to.deep.equal(['books', 'shelves'])
    expect(locks.map(({ parameters }) => parameters[0])).to.deep.equal([
      [2, 1, 4],
      [2, 1],
    ])
    for (const { sql } of locks) expect(sql).to.match(/order by t0\."id" for no key update of t0$/)
  })

  it('do not depend on the number of operations', async () => {
    const operations = numbers(50).map((index) => book(1 + (index % 4)))
    expect(await locksOf(operations)).to.have.length(1)
  })

  const unlocked: Readonly<Record<string, Operations>> = {
    'the batch has one operation': [book(1)],
    'the batch changes one row': [book(1), book(1, 2), add('books', { title: 'Catharine' })],
    'the batch only creates resources': [add('shelves', { name: 'Drama' }), add('books', { title: 'Catharine' })],
  }
  for (const [condition, operations] of Object.entries(unlocked)) {
    it(`are left out when ${condition}`, async () => {
      expect(await locksOf(operations)).to.deep.equal([])
    })
  }

  it('include the scope of the requester', async () => {
    const [lock] = await locksOf([book(1), book(3)])
    expect(lock?.sql).to.match(/"id" <> \$2/)
  })

  it('leave the error of a missing row to its operation', async () => {
    const answer = await sendBatch(app.client, [book(1), book(4711), shelf(4712)])
    expectFailure(answer, 404, 'RESOURCE_NOT_FOUND', '/atomic:operations/1')
  })

  it('leave the error of an earlier operation first when a scope throws an error', async () => {
    const label = update({ type: 'labels', id: '1' }, { text: 'G' })
    expectFailure(await sendBatch(app.client, [book(3), label]), 404, 'RESOURCE_NOT_FOUND', '/atomic:operations/0')
    expectFailure(await sendBatch(app.client, [book(1), label]), 403, 'LABELS_CLOSED', '/atomic:operations/1')
  })
})

const labelsClosed = defineError('LABELS_CLOSED', 403, 'Labels are closed', 'Labels cannot be read now.')

describe('A batch with a serialization failure', () => {
  let app: TestApp
  let attempts = 0
  const refusal: Plugin = {
    name: 'refusal',
    plan: addSteps({
      beforeSave({ input }) {
        if (input?.attributes?.name !== 'refused') return
        attempts++
        throw Object.assign(new Error('Run it again'), { code: '40001' })
      },
    }),
  }

  before(async () => {
    app = await startLibrary({ plugins: [...plugins, refusal] })
    await fillShelves(2)
  })
  after(async () => {
    await app.close()
    await emptyLibrary()
  })

  it('is retried three times, then returns 503 with the pointer of the failed operation', async () => {
    const answer = await sendBatch(app.client, [shelf(1, 'other'), shelf(2, 'refused')])
    expect([answer.status, attempts]).to.deep.equal([503, 4])
    expect(answer.headers.get('retry-after')).to.equal('1')
    expect(answer.body.errors[0].source).to.deep.equal({ pointer: '/atomic:operations/1' })
    expect((await execute('select name from shelves')).map(({ name }) => name)).not.to.include('other')
  })
})

async function execute(sql: string): Promise<Record<string, unknown>[]> {
  return (await libraryDatabase()).orm.em.getConnection().execute(sql)
}
