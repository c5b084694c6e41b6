import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { createQueue, type Job, type Worker } from '#jobs'
import { createStore } from '#store'
import { eventually } from '#test/support/eventually.ts'
import { Label } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase } from '#test/template/support/library/index.ts'

// Retries of failed and killed jobs are tested in test/template/proofs/endurance/jobs.test.ts.

describe('Job queue', () => {
  let store: ReturnType<typeof createStore>
  let work: Worker
  const reported: unknown[] = []
  const options = { heartbeatSeconds: 10, stopSeconds: 120, report: (error: unknown) => void reported.push(error) }
  const enqueue = (data: object) => store.write((unit) => unit.enqueue('write-label', data))
  const texts = async () => {
    const { orm } = await libraryDatabase()
    const rows = await orm.em.getConnection().execute('select text from labels order by id')
    return rows.map(({ text }) => text)
  }
  const writeLabel = ({ data, finish }: Job) =>
    finish(async ({ em }) => {
      await em.insert(Label, data as { text: string })
    })

  before(async () => {
    const { orm, keepsSession, url } = await libraryDatabase()
    store = createStore({ orm, keepsSession, ...(url && { url }) })
    store.queue.assign(new Map([['write-label', (job: Job) => work(job)]]), options)
  })
  beforeEach(emptyLibrary)
  afterEach(() => expect(reported).to.deep.equal([]))
  after(async () => {
    await store.queue.stop()
    await emptyLibrary()
  })

  it('opens with the first job and runs the unit of this job again', async () => {
    let runs = 0
    const done = nextJob()
    const id = await store.write(async (unit) => {
      runs++
      await unit.em.insert(Label, { text: 'of the unit' })
      return unit.enqueue('write-label', { text: 'of the job' })
    })
    expect(runs).to.equal(2)
    expect((await done).job.id).to.equal(id)
    expect(await texts()).to.deep.equal(['of the unit', 'of the job'])
  })

  it('discards a job when its unit is rolled back', async () => {
    const failed = store.write(async (unit) => {
      await unit.enqueue('write-label', { text: 'never' })
      throw new Error('rolled back')
    })
    expect(await failed.catch(({ message }) => message)).to.equal('rolled back')
    const done = nextJob()
    await enqueue({ text: 'later' })
    await done
    expect(await texts()).to.deep.equal(['later'])
  })

  it('gives a job its data and attempt 0', async () => {
    const done = nextJob()
    const id = await enqueue({ text: 'Fiction' })
    const { job } = await done
    expect(job).to.deep.include({ id, attempt: 0, data: { text: 'Fiction' } })
    expect(job.signal.aborted).to.equal(false)
  })

  it('saves nothing when a running job is dequeued', async () => {
    const started = Promise.withResolvers<void>()
    const dequeued = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<boolean>()
    work = async (job) => {
      started.resolve()
      await dequeued.promise
      ended.resolve(await writeLabel(job))
    }
    const id = await enqueue({ text: 'Fiction' })
    await started.promise
    await store.write((unit) => unit.dequeue('write-label', id))
    dequeued.resolve()
    expect(await ended.promise).to.equal(false)
    expect(await texts()).to.deep.equal([])
  })

  it('saves only the first result of a job', async () => {
    const results = Promise.withResolvers<boolean[]>()
    work = async (job) => results.resolve([await writeLabel(job), await writeLabel(job)])
    await enqueue({ text: 'Fiction' })
    expect(await results.promise).to.deep.equal([true, false])
    expect(await texts()).to.deep.equal(['Fiction'])
  })

  it('counts the due jobs that wait behind a running one, with the age of the oldest', async () => {
    const started = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    let count = 0
    work = async () => {
      started.resolve()
      await released.promise
      if (++count === 3) ended.resolve()
    }
    await store.write(async (unit) => {
      for (const text of ['a', 'b', 'c']) await unit.enqueue('write-label', { text })
    })
    await started.promise
    const [backlog, ...others] = (await store.queue.backlog?.()) ?? []
    released.resolve()
    await ended.promise
    expect(others).to.deep.equal([])
    expect(backlog).to.deep.include({ job: 'write-label', waiting: 2 })
    expect(backlog?.oldestSeconds).to.be.at.least(0)
  })

  it('removes finished jobs of an interval an hour after it, and looks for them every hour', async () => {
    const { orm, url } = await libraryDatabase()
    const { query } = store
    const queue = createQueue({ orm, url, listens: false }, store.write)
    const ended = { early: Promise.withResolvers<boolean>(), late: Promise.withResolvers<boolean>() }
    for (const [job, { resolve }] of Object.entries(ended)) {
      queue.assign(new Map([[job, async ({ finish }: Job) => resolve(await finish(async () => {}))]]), options)
      queue.repeat(job, 7_200)
    }
    await queue.start()
    await Promise.all([ended.early.promise, ended.late.promise])
    const finish = (job: string, seconds: number) =>
      query(`update pgboss.job set completed_on = now() - interval '${seconds} seconds' where name = '${job}'`)
    await finish('early', 7_200 + 3_601)
    await finish('late', 7_200 + 3_500)
    await query(`update pgboss.queue set maintain_on = now() - interval '3601 seconds'`)
    const jobs = () => query(`select name from pgboss.job where name in ('early', 'late')`)
    await eventually(async () => (await jobs()).length < 2)
    expect(await jobs()).to.deep.equal([{ name: 'late' }])
    await queue.stop()
  })

  it('runs a job at an interval that was set after the queue was opened', async () => {
    const { orm, url } = await libraryDatabase()
    const queue = createQueue({ orm, url, listens: false }, store.write)
    const ended = Promise.withResolvers<boolean>()
    queue.assign(
      new Map([['repeated', async ({ finish }: Job) => ended.resolve(await finish(async () => {}))]]),
      options,
    )
    await queue.start()
    queue.repeat('repeated', 7_200)
    expect(await ended.promise).to.equal(true)
    await queue.stop()
  })

  it('throws when no worker handles the job', async () => {
    const failed = store.write((unit) => unit.enqueue('read-label', {}))
    expect(await failed.catch(({ message }) => message)).to.equal("No worker is registered for the job 'read-label'.")
  })

  it('finishes the running job on stop, and runs the remaining jobs after the next start', async () => {
    const started = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    work = async (job) => {
      started.resolve()
      await released.promise
      await writeLabel(job)
    }
    await enqueue({ text: 'first' })
    await started.promise
    await enqueue({ text: 'second' })
    const stopped = store.queue.stop()
    released.resolve()
    await stopped
    expect(await texts()).to.deep.equal(['first'])

    const done = nextJob()
    await store.queue.start()
    await done
    expect(await texts()).to.deep.equal(['first', 'second'])
  })

  it('opens after a failure, which is reported once', async () => {
    const { orm, url } = await libraryDatabase()
    let failures = 0
    const database = {
      orm,
      url,
      get listens(): boolean {
        if (failures < 2) throw new Error(`failure ${++failures}`)
        return false
      },
    }
    const queue = createQueue(database, store.write)
    const messages: string[] = []
    queue.startWithRetries((error) => messages.push((error as Error).message))
    await eventually(() => failures === 2)
    await queue.start()
    expect(messages).to.deep.equal(['failure 1'])
    await queue.stop()
  })

  it('is not opened any more after it was stopped', async () => {
    const { orm, url } = await libraryDatabase()
    let attempts = 0
    const database = {
      orm,
      url,
      get listens(): boolean {
        attempts++
        throw new Error('no queue')
      },
    }
    const queue = createQueue(database, store.write)
    const failed = Promise.withResolvers<unknown>()
    queue.startWithRetries(failed.resolve)
    await failed.promise
    await queue.stop()
    await setTimeout(1_200)
    expect(attempts).to.equal(1)
  })

  /** Handles the next job and resolves with it. */
  function nextJob(): Promise<{ job: Job }> {
    return new Promise((resolve) => {
      work = async (job) => {
        await writeLabel(job)
        resolve({ job })
      }
    })
  }
})
