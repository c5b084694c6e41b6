import { expect } from 'chai'
import type { Job } from '#jobs'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import { eventually } from '#test/support/eventually.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { keyed, query, shelf } from '#test/template/support/idempotency-keys.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'
import { idempotency } from '../index.ts'
import { removalJob, removalWorker } from '../removal.ts'

describe('The removal of idempotency keys', () => {
  let library: TestApp
  const start = async (env: Record<string, string> = {}, options: TestAppOptions = {}) => {
    library = await startLibrary({ config: configFrom(env), ...options })
  }
  beforeEach(async () => {
    await fillLibrary()
    await query('truncate idempotency_keys')
  })
  afterEach(() => library.close())
  after(emptyLibrary)

  /** Stores responses of the given ages in seconds. */
  const store = (...ages: readonly number[]) => storeAs({}, ...ages)
  const storeAs = async (principal: object, ...ages: readonly number[]) => {
    for (const age of ages) {
      const { headers } = await library.client.post('/shelves', shelf(`Age ${age}`), { ...keyed(), ...principal })
      expect(headers.get('location')).to.match(/shelves/)
      const isNew = `body like '%"Age ${age}"%'`
      await query(`update idempotency_keys set created_at = now() - ${age} * interval '1 second' where ${isNew}`)
    }
  }
  const kept = async () => {
    const rows = await query('select body from idempotency_keys order by created_at desc')
    return rows.map(({ body }) => Number(/"Age (\d+)"/.exec(String(body))?.[1]))
  }
  const bytesOfOne = async () => {
    const [row] = await query('select max(bytes)::int as bytes from idempotency_keys')
    return Number(row?.bytes)
  }
  /** Starts the application again with other settings. Returns the warnings that it logs. */
  const restart = async (env: Record<string, string>) => {
    const warnings: unknown[] = []
    const warn = (...args: unknown[]) => void warnings.push(args)
    await library.close()
    await start(env, { logger: { warn, error() {}, info() {} } as unknown as NonNullable<TestAppOptions['logger']> })
    warnings.splice(0)
    return warnings
  }
  const job = { finish: async () => true } as unknown as Job

  it('deletes responses older than IDEMPOTENCY_RETENTION_SECONDS', async () => {
    await start({ IDEMPOTENCY_RETENTION_SECONDS: '100' })
    await store(10, 90, 110, 1000)
    await removalWorker(library.app)(job)
    expect(await kept()).to.deep.equal([10, 90])
  })

  it('deletes the oldest responses beyond IDEMPOTENCY_TOTAL_BYTES and logs a warning', async () => {
    const warnings: unknown[] = []
    const warn = (...args: unknown[]) => void warnings.push(args)
    const logger = { warn, error() {}, info() {} } as unknown as NonNullable<TestAppOptions['logger']>
    await start({}, { logger })
    await store(10, 20, 30, 40)
    const [row] = await query('select max(bytes)::int as bytes from idempotency_keys')
    const totalBytes = Number(row?.bytes) * 2
    await library.close()
    await start({ IDEMPOTENCY_TOTAL_BYTES: String(totalBytes) }, { logger })
    warnings.splice(0)
    await removalWorker(library.app)(job)
    expect(await kept()).to.deep.equal([10, 20])
    expect(warnings).to.deep.equal([
      [
        { removed: 2, totalBytes },
        'Stored responses of idempotency keys were removed before they expired; raise IDEMPOTENCY_TOTAL_BYTES',
      ],
    ])
    warnings.splice(0)
    await removalWorker(library.app)(job)
    expect(warnings).to.deep.equal([])
    await store(5)
    await removalWorker(library.app)(job)
    expect(warnings).to.have.length(1)
  })

  it('deletes the oldest responses of a principal beyond IDEMPOTENCY_PRINCIPAL_BYTES, and none of others', async () => {
    await start({}, { plugins: pluginsWithTokens('ada', 'eve') })
    await storeAs(as('eve'), 99)
    await storeAs(as('ada'), 10, 20, 30, 40)
    await store(98)
    const principalBytes = (await bytesOfOne()) * 2
    const warnings = await restart({ IDEMPOTENCY_PRINCIPAL_BYTES: String(principalBytes) })
    await removalWorker(library.app)(job)
    expect(await kept()).to.deep.equal([10, 20, 98, 99])
    expect(warnings).to.deep.equal([
      [
        { removed: 2, principalBytes },
        'Stored responses of a principal were removed before they expired; raise IDEMPOTENCY_PRINCIPAL_BYTES',
      ],
    ])
    warnings.splice(0)
    await removalWorker(library.app)(job)
    expect(warnings).to.deep.equal([])
  })

  it('deletes responses of the principals that have stored most beyond IDEMPOTENCY_TOTAL_BYTES', async () => {
    await start({}, { plugins: pluginsWithTokens('ada', 'eve') })
    await storeAs(as('eve'), 90, 91)
    await storeAs(as('ada'), 10, 20, 30, 40)
    await store(98)
    const totalBytes = (await bytesOfOne()) * 5
    await restart({ IDEMPOTENCY_TOTAL_BYTES: String(totalBytes) })
    await removalWorker(library.app)(job)
    expect(await kept()).to.deep.equal([10, 20, 90, 91, 98])
  })

  it('deletes no response because of its size when the bytes are 0', async () => {
    const warnings: unknown[] = []
    const warn = (...args: unknown[]) => void warnings.push(args)
    const logger = { warn, error() {}, info() {} } as unknown as NonNullable<TestAppOptions['logger']>
    await start({ IDEMPOTENCY_TOTAL_BYTES: '0', IDEMPOTENCY_PRINCIPAL_BYTES: '0' }, { logger })
    await store(10, 20)
    warnings.splice(0)
    await removalWorker(library.app)(job)
    expect([await kept(), warnings]).to.deep.equal([[10, 20], []])
  })

  it('deletes more rows than one statement does, then finishes the job', async () => {
    await start()
    const values = `'key ' || n, 'fingerprint', 204, '{}', null, 2, now() - interval '2 days'`
    const columns = 'id, fingerprint, status, headers, body, bytes, created_at'
    await query(`insert into idempotency_keys (${columns}) select ${values} from generate_series(1, 10001) as n`)
    let finished = 0
    await removalWorker(library.app)({ finish: async () => ++finished > 0 } as unknown as Job)
    expect([await query('select id from idempotency_keys'), finished]).to.deep.equal([[], 1])
  })

  it('runs in the job queue after the start', async () => {
    await start({ IDEMPOTENCY_RETENTION_SECONDS: '100' })
    await store(10, 110)
    await forgetRemovals()
    await library.app.start()
    await eventually(async () => (await kept()).length === 1)
  })

  it('is reported in the log when the job queue cannot be opened', async () => {
    await start()
    const reported = Promise.withResolvers<unknown[]>()
    const logger = { error: (...args: unknown[]) => reported.resolve(args) }
    const failure = new Error('No queue.')
    const queue = { startWithRetries: (onFailure: (error: unknown) => void) => onFailure(failure) }
    idempotency().start?.({ ...library.app, store: { ...library.app.store, queue }, logger } as never)
    expect(await reported.promise).to.deep.equal([
      { err: failure },
      'The job queue cannot be opened; expired keys are not removed',
    ])
  })

  /** Deletes former jobs: the queue would wait for ten minutes after them. */
  async function forgetRemovals(): Promise<void> {
    const [{ queue } = { queue: null }] = await query(`select to_regclass('pgboss.job') as queue`)
    if (queue) await query(`delete from pgboss.job where name = ?`, [removalJob])
  }
})
