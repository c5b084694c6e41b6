import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineError } from '#kernel'
import type { Plugin } from '#kernel/plugin'
import { fillLibrary } from './specification/library-rows.ts'
import { createDraw } from './specification/random.ts'
import type { TestApp } from './support/app.ts'
import { Tag } from './support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from './support/library/index.ts'
import { applied, copyOf, initialState, linesOf, type State } from './support/write-model/state.ts'
import { drawWrite, type Write } from './support/write-model/writes.ts'

// Writes drawn at random, right and wrong, each held against a model of the rows: what is refused changes nothing, and
// what is done changes what it says and nothing else.

const count = 150

describe('Random writes', () => {
  let library: TestApp
  const logged: object[] = []
  const logger = { error: (details: object) => void logged.push(details), warn: () => {}, info: () => {} }

  before(async () => {
    ;(await libraryDatabase()).orm.em.getEventManager().registerSubscriber({ beforeTransactionCommit: refuseLate })
  })
  afterEach(async () => {
    late.isWanted = false
    await library.close()
    await emptyLibrary()
  })

  for (const [seed, watched] of [
    [20_240_229, true],
    [19_970_521, true],
    [20_240_229, false],
    [19_970_521, false],
  ] as const) {
    const who = watched ? 'that a plugin watches' : 'that nobody watches'
    it(`${who} change the rows as a model says, or not at all: ${count} of seed ${seed}`, async () => {
      library = await startLibrary({ logger, plugins: [...plugins, { ...scribble, appliesTo: () => watched }] })
      await fillLibrary()
      const draw = createDraw(seed)
      let state = initialState()
      expect(await rows(), 'before the first').to.deep.equal(linesOf(state))
      const outcomes = { done: 0, refused: 0, undone: 0 }
      for (let sent = 0; sent < count; sent++) {
        const write = drawWrite(copyOf(state), draw, sent)
        Object.assign(late, { isWanted: draw.chance(20), isThrown: false, isScribbled: false })
        const next = await expectOutcome(write, state)
        outcomes[next !== state ? 'done' : late.isThrown ? 'undone' : 'refused']++
        state = next
        expect(await rows(), told(write)).to.deep.equal(linesOf(state))
      }
      expect(outcomes.done, 'done').to.be.greaterThan(count / 4)
      expect(outcomes.refused, 'refused').to.be.greaterThan(count / 4)
      expect(outcomes.undone, 'undone').to.be.greaterThan(count / 20)
      expect(logged).to.deep.equal([])
    })
  }

  const expectOutcome = async (write: Write, state: State): Promise<State> => {
    const { method, path, body, faults } = write
    const { status, text, body: document } = await library.client.send(method, path, { body })
    const message = `${told(write)}\n${text}`
    if (late.isThrown) {
      expect(status, message).to.equal(409)
      return state
    }
    if (faults.length > 0) expect(status, message).to.be.oneOf([...faults])
    else expect(status, message).to.be.within(200, 204)
    return faults.length > 0 ? state : applied(state, write, document?.data?.id)
  }
})

const tooLate = defineError('TOO_LATE', 409, 'Too late', 'The rows are written, but not for long.')
const late = { isWanted: false, isThrown: false, isScribbled: false }

/** A statement before those of the write, which must go with them. */
const scribble: Plugin = {
  name: 'scribble',
  async beforeSave({ context: { unit } }) {
    if (!late.isWanted || late.isScribbled) return
    late.isScribbled = true
    await unit.em.insert(Tag, { id: '00000000-0000-4000-8000-00000000dead', name: 'scribble' })
  },
}

/** Lets a write fail when all its statements have run. */
function refuseLate(): void {
  if (!late.isWanted) return
  late.isWanted = false
  late.isThrown = true
  throw tooLate()
}

function told({ method, path, body }: Write): string {
  return `${method} ${path} ${JSON.stringify(body)}`
}

/** Every row of the library, a line each. */
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
