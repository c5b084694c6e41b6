import { expect } from 'chai'
import type { Job, Worker } from '#kernel/plugin'
import { createStore } from '#store'
import { until } from './support/jobs.ts'
import { Label } from './support/library/entities.ts'
import { emptyLibrary, libraryDatabase } from './support/library/index.ts'

// What failed or was killed runs again: test/endurance/jobs.test.ts.

describe('The queue', () => {
  let store: ReturnType<typeof createStore>
  let work: Worker
  const reported: unknown[] = []
  const options = { heartbeatSeconds: 10, stopSeconds: 1, report: (error: unknown) => void reported.push(error) }
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

  it('is opened by the first job, whose unit runs again for it', async () => {
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

  it('keeps no job of a unit that is rolled back', async () => {
    const failed = store.write(async (unit) => {
      await unit.enqueue('write-label', { text: 'never' })
      throw new Error('changed my mind')
    })
    expect(await failed.catch(({ message }) => message)).to.equal('changed my mind')
    const done = nextJob()
    await enqueue({ text: 'later' })
    await done
    expect(await texts()).to.deep.equal(['later'])
  })

  it('gives every job its data and its first attempt', async () => {
    const done = nextJob()
    const id = await enqueue({ text: 'Fiction' })
    const { job } = await done
    expect(job).to.deep.include({ id, attempt: 0, data: { text: 'Fiction' } })
    expect(job.signal.aborted).to.equal(false)
  })

  it('saves nothing of a job that is taken back while it is under way', async () => {
    const begun = Promise.withResolvers<void>()
    const taken = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<boolean>()
    work = async (job) => {
      begun.resolve()
      await taken.promise
      ended.resolve(await writeLabel(job))
    }
    const id = await enqueue({ text: 'Fiction' })
    await begun.promise
    await store.write((unit) => unit.dequeue('write-label', id))
    taken.resolve()
    expect(await ended.promise).to.equal(false)
    expect(await texts()).to.deep.equal([])
  })

  it('ends a job once: a second result is not saved', async () => {
    const results = Promise.withResolvers<boolean[]>()
    work = async (job) => results.resolve([await writeLabel(job), await writeLabel(job)])
    await enqueue({ text: 'Fiction' })
    expect(await results.promise).to.deep.equal([true, false])
    expect(await texts()).to.deep.equal(['Fiction'])
  })

  it('takes only jobs that somebody does', async () => {
    const refused = store.write((unit) => unit.enqueue('read-label', {}))
    expect(await refused.catch(({ message }) => message)).to.equal("No worker is registered for the job 'read-label'.")
  })

  it('lets what is under way finish when it stops, and does the rest after the next start', async () => {
    const begun = Promise.withResolvers<void>()
    const free = Promise.withResolvers<void>()
    work = async (job) => {
      begun.resolve()
      await free.promise
      await writeLabel(job)
    }
    await enqueue({ text: 'first' })
    await begun.promise
    await enqueue({ text: 'second' })
    const stopped = store.queue.stop()
    free.resolve()
    await stopped
    expect(await texts()).to.deep.equal(['first'])

    await store.queue.start()
    await until(async () => ((await texts()).length === 2 ? true : undefined))
    expect(await texts()).to.deep.equal(['first', 'second'])
  })

  /** The next job, done. */
  function nextJob(): Promise<{ job: Job }> {
    return new Promise((resolve) => {
      work = async (job) => {
        await writeLabel(job)
        resolve({ job })
      }
    })
  }
})
