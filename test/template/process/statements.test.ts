import { expect } from 'chai'
import { Artist } from '#resources/artists/entity.ts'
import type { Statement } from '#store'
import type { Database } from '#store/connection/types.ts'
import { observeStatements, observeStore, recordStatements } from '#store/observers.ts'
import { markDirty } from '#test/support/app.ts'
import { testDatabase } from '#test/support/database.ts'

describe('statement log', () => {
  let database: Database
  before(async () => {
    database = await testDatabase()
  })

  it('records the statements of the entity manager and of Kysely, with begin and commit', async () => {
    const em = database.orm.em.fork()
    markDirty()
    const { result, statements } = await recordStatements(() =>
      em.transactional(async (em) => {
        em.create(Artist, { name: 'Recorded', slug: 'recorded' })
        await em.flush()
        await em.getKysely<{ artists: { slug: string } }>().selectFrom('artists').select('slug').execute()
        await em.nativeDelete(Artist, { slug: 'recorded' })
        return 'done'
      }),
    )
    expect(result).to.equal('done')
    expect(verbs(statements)).to.deep.equal(['begin', 'insert', 'select', 'delete', 'commit'])
  })

  it('records a rollback and a statement that fails', async () => {
    const em = database.orm.em.fork()
    const { statements } = await recordStatements(async () => {
      await em.transactional((em) => em.execute('select nothing from nowhere')).catch(() => {})
    })
    expect(verbs(statements)).to.deep.equal(['begin', 'select', 'rollback'])
  })

  it('records the parameters of a statement', async () => {
    const kysely = database.orm.em.fork().getKysely<{ artists: { id: number; slug: string } }>()
    const { statements } = await recordStatements(() =>
      kysely.selectFrom('artists').select('id').where('slug', '=', 'radiohead').execute(),
    )
    expect(statements.map(({ parameters }) => parameters)).to.deep.equal([['radiohead']])
  })

  it('records only the statements of the given work', async () => {
    const ask = (number: number) => () => database.orm.em.fork().execute(`select ${number}`)
    const [one, two] = await Promise.all([recordStatements(ask(1)), recordStatements(ask(2))])
    expect(one.statements.map(({ sql }) => sql)).to.deep.equal(['select 1'])
    expect(two.statements.map(({ sql }) => sql)).to.deep.equal(['select 2'])
  })

  it('calls an observer for every statement until it is unsubscribed', async () => {
    const heard: Statement[] = []
    const end = observeStatements((statement) => heard.push(statement))
    await database.orm.em.fork().findOne(Artist, { id: 1 })
    end()
    await database.orm.em.fork().findOne(Artist, { id: 1 })
    expect(verbs(heard)).to.deep.equal(['select'])
  })

  it('calls an observer with the rows and the error of each statement, and after each wait for a connection', async () => {
    const events: string[] = []
    const stop = observeStore({
      onStatement: (statement) => {
        events.push(statement.text())
        return ({ rows, error }) => events.push(error ? 'error' : `${rows} rows`)
      },
      onWait: () => () => events.push('connected'),
    })
    const em = database.orm.em.fork()
    await em.execute("select * from generate_series(1, 3) where 'secret' <> 'other'")
    await em.execute('select nothing from nowhere').catch(() => {})
    stop()
    expect(events).to.deep.equal([
      'connected',
      'select * from generate_series(?) where ? <> ?',
      '3 rows',
      'connected',
      'select nothing from nowhere',
      'error',
    ])
  })
})

function verbs(statements: readonly Statement[]): (string | undefined)[] {
  return statements.map(({ sql }) => sql.split(' ')[0])
}
