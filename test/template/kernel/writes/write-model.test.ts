import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineError } from '#kernel'
import { addSteps, type Plugin } from '#kernel/plugin'
import { createRandomSource } from '#test/conformance/random.ts'
import type { TestApp } from '#test/support/app.ts'
import { statementsOf } from '#test/support/statements.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { applied, copyState, initialState, printState, type State } from '#test/template/support/write-model/state.ts'
import { drawWrite, type Write } from '#test/template/support/write-model/writes.ts'

// Random writes, valid and invalid, compared with a model of the rows after every write. The same writes run with both
// writers, entities because a plugin has a beforeSave hook, and statements: responses and tables must be equal.

const count = 150

describe('Random writes', () => {
  let library: TestApp
  const logged: object[] = []
  const logger = { error: (details: object) => void logged.push(details), warn: () => {}, info: () => {} }

  afterEach(() => {
    failure.isWanted = false
  })

  for (const seed of [20_240_229, 19_970_521]) {
    it(`have the same responses and rows with both writers, and the rows of the model: ${count} of seed ${seed}`, async () => {
      const asEntities = await runWrites(seed, true)
      const byStatements = await runWrites(seed, false)
      expect(asEntities.boundStatements, 'bound statements of entities').to.equal(0)
      expect(byStatements.boundStatements, 'bound statements').to.be.greaterThan(count / 10)
      for (const [index, step] of asEntities.transcript.entries())
        expect(byStatements.transcript[index]).to.deep.equal(step)
      expect(logged).to.deep.equal([])
    })
  }

  const runWrites = async (seed: number, asEntities: boolean) => {
    await emptyLibrary()
    await fillLibrary()
    const hooks = asEntities ? [insertTag, failingCommit] : [failingCommit]
    library = await startLibrary({ logger, plugins: [...plugins, ...hooks] })
    try {
      const transcript: Step[] = []
      const statements = await statementsOf(async () => {
        transcript.push(...(await compareWithModel(seed)))
      })
      const boundStatements = statements.filter(({ sql }) => /^(insert into|update) "\w+" as t0/.test(sql)).length
      return { transcript, boundStatements }
    } finally {
      await library.close()
      await emptyLibrary()
    }
  }

  const compareWithModel = async (seed: number): Promise<Step[]> => {
    const draw = createRandomSource(seed)
    const transcript: Step[] = []
    const outcomes = { done: 0, refused: 0, rolledBack: 0 }
    let state = initialState()
    expect(await rows(), 'before the first write').to.deep.equal(printState(state))
    for (let sent = 0; sent < count; sent++) {
      const write = drawWrite(copyState(state), draw, sent)
      Object.assign(failure, { isWanted: draw.chance(20), isThrown: false, isTagInserted: false })
      const { next, response } = await sendWrite(write, state)
      outcomes[next !== state ? 'done' : failure.isThrown ? 'rolledBack' : 'refused']++
      state = next
      const tables = await rows()
      expect(tables, printWrite(write)).to.deep.equal(printState(state))
      transcript.push({ write: printWrite(write), response, tables })
    }
    expect(outcomes.done, 'done').to.be.greaterThan(count / 4)
    expect(outcomes.refused, 'refused').to.be.greaterThan(count / 4)
    expect(outcomes.rolledBack, 'rolled back').to.be.greaterThan(count / 20)
    return transcript
  }

  const sendWrite = async (write: Write, state: State): Promise<{ next: State; response: string }> => {
    const { method, path, body, faults } = write
    const { status, text, body: document } = await library.client.send(method, path, { body })
    const response = `${status} ${text.replaceAll(library.client.url, '').replace(errorIds, '')}`
    const message = `${printWrite(write)}\n${response}`
    if (failure.isThrown) {
      expect(status, message).to.equal(409)
      return { next: state, response }
    }
    if (faults.length > 0) expect(status, message).to.be.oneOf([...faults])
    else expect(status, message).to.be.within(200, 204)
    return { next: faults.length > 0 ? state : applied(state, write, document?.data?.id), response }
  }
})

/** Random ids of errors. */
const errorIds = /"id":"[\da-f.-]{36,}",(?="status")/g

/** A write, its response without the address of the server and ids of errors, and all rows after it. */
interface Step {
  readonly write: string
  readonly response: string
  readonly tables: readonly string[]
}

const commitRefused = defineError('COMMIT_REFUSED', 409, 'Commit refused', 'The transaction is rolled back.')
const failure = { isWanted: false, isThrown: false, isTagInserted: false }

/** Inserts a row before those of the write, which must be rolled back with them. Its hook receives the entity. */
const insertTag: Plugin = {
  name: 'insert-tag',
  plan: addSteps({
    async beforeSave({ context: { unit } }) {
      if (!failure.isWanted || failure.isTagInserted) return
      failure.isTagInserted = true
      await unit.em.insert(Tag, { id: '00000000-0000-4000-8000-00000000dead', name: 'inserted by a hook' })
    },
  }),
}

/** Fails a write after all its statements, before the commit. */
const failingCommit: Plugin = {
  name: 'failing-commit',
  plan: addSteps({
    transaction({ beforeCommit }) {
      if (failure.isWanted) beforeCommit(failCommit)
      return undefined
    },
  }),
}

function failCommit(): void {
  failure.isWanted = false
  failure.isThrown = true
  throw commitRefused()
}

function printWrite({ method, path, body }: Write): string {
  return `${method} ${path} ${JSON.stringify(body)}`
}

/** All rows of the library, one line each. */
async function rows(): Promise<string[]> {
  const connection = (await libraryDatabase()).orm.em.getConnection()
  const lines = await connection.execute<{ line: string }[]>(`
    select concat_ws(' ', 'shelf', id, name) as line from shelves
    union all select concat_ws(' ', 'book', id, title, position, coalesce(rating::float8::text, '-'),
      coalesce(shelf_id::text, '-'), coalesce(secret, '-'), coalesce(deleted_at::text, '-')) from books
    union all select concat_ws(' ', 'tag', id, name) from tags
    union all select concat_ws(' ', 'pair', book_id, tag_id) from book_tags
    union all select concat_ws(' ', 'label', id, text, coalesce(shelf_id::text, '-')) from labels`)
  return lines.map(({ line }) => line).sort()
}
