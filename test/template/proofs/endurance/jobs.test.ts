import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { discover, loadSeeds } from '#discovery'
import { defineResource } from '#kernel'
import { AcceptedForProcessing, accepted, defineJob, enqueue } from '#plugins/async-writes/index.ts'
import { migrate, type Seed, seed } from '#store'
import { root, type TestApp } from '#test/support/app.ts'
import { openTestDatabase, projectSchema, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { waitForJob } from '#test/support/wait-for-job.ts'
import { startService } from '#test/template/support/catalogue-service.ts'
import { Label, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import type { Service } from '#test/template/support/service.ts'

// Jobs whose process is killed, stops or fails run again, and their result is saved once.

const exports = 5
const heartbeat = { JOB_HEARTBEAT_SECONDS: '10' }

describe('Job worker of a service', () => {
  let environment: Record<string, string>
  let database: TestDatabase | null = null
  let service: Service | null = null
  const start = async (env: Record<string, string> = {}) => {
    service = await startService({ ...environment, ...heartbeat, ...env })
    return service
  }

  beforeEach(async () => {
    if (!process.env.DATABASE_URL) {
      environment = { DATA_DIR: mkdtempSync(join(tmpdir(), 'jobs-')) }
      return
    }
    database = await openTestDatabase(await projectSchema())
    await migrate(database)
    await seed(database, await loadSeeds<Seed>(await discover(root)))
    await recordResults(database)
    environment = { DATABASE_URL: database.databaseUrl as string }
  })
  afterEach(async () => {
    await service?.kill()
    await database?.close()
    if (environment.DATA_DIR) rmSync(environment.DATA_DIR, { recursive: true, force: true })
  })

  it('runs an interrupted job and the queued ones after a restart, each once, when the service is killed', async () => {
    const killed = await start({ JOB_DELAY_SECONDS: '1' })
    const jobs = await exportCatalogue(killed)
    await waitForJob(killed.client, jobs[0] as string)
    await waitForActiveJob()
    await killed.kill()

    const { client } = await start({ JOB_DELAY_SECONDS: '0' })
    for (const job of jobs) await waitForJob(client, job)
    await expectResults(client)
  })

  it('finishes the running job on SIGTERM, and runs the queued ones after the next start', async () => {
    const stopped = await start({ JOB_DELAY_SECONDS: '2' })
    const jobs = await exportCatalogue(stopped)
    const running = await waitForActiveJob()
    if (!running) await waitForJob(stopped.client, jobs[0] as string)
    expect(await stopped.kill('SIGTERM')).to.equal(0)

    const { client } = await start({ JOB_DELAY_SECONDS: '3600' })
    expect((await client.get(`/export-jobs/${running ?? jobs[0]}`)).status).to.equal(303)
    const responses = await Promise.all(jobs.map((job) => client.get(`/export-jobs/${job}`)))
    const statuses = responses.map(({ status }) => status)
    expect(statuses, 'the jobs run in order').to.deep.equal(statuses.toSorted((a, b) => b - a))
    expect(statuses, 'no queued job starts after the signal').to.include(200)
    await service?.kill()

    const next = await start({ JOB_DELAY_SECONDS: '0' })
    for (const job of jobs) await waitForJob(next.client, job)
    await expectResults(next.client)
  })

  it('runs a job again when JOB_STOP_SECONDS is too short to finish it', async () => {
    const stopped = await start({ JOB_DELAY_SECONDS: '3600', JOB_STOP_SECONDS: '1' })
    const [job] = await exportCatalogue(stopped)
    await waitForActiveJob()
    expect(await stopped.kill('SIGTERM')).to.equal(0)
    const { client } = await start({ JOB_DELAY_SECONDS: '0' })
    await waitForJob(client, job as string)
  })

  it('runs the jobs of a killed service in another service on the same database', async function () {
    if (!process.env.DATABASE_URL) this.skip()
    const dying = await start({ JOB_DELAY_SECONDS: '3600' })
    const jobs = await exportCatalogue(dying)
    const { client } = await start({ JOB_DELAY_SECONDS: '0' })
    for (const job of jobs.slice(1)) await waitForJob(client, job)
    expect((await client.get(`/export-jobs/${jobs[0]}`)).status).to.equal(200)
    await dying.kill()
    await waitForJob(client, jobs[0] as string)
    await expectResults(client)
  })

  /** Returns the id of a running job. Undefined on the embedded database, which only the service can read. */
  async function waitForActiveJob(): Promise<string | undefined> {
    const connection = database?.orm.em.getConnection()
    if (!connection) return undefined
    return eventually(async () => {
      const [row] = await connection.execute(
        "select id from pgboss.job where name = 'export-catalog' and state = 'active'",
      )
      return row?.id as string | undefined
    })
  }

  async function exportCatalogue({ client }: Service): Promise<string[]> {
    const data = { type: 'catalog-exports', attributes: { format: 'csv' } }
    const jobs: string[] = []
    for (let count = 0; count < exports; count++) {
      const { status, text, body } = await client.post('/catalog-exports', { data })
      expect(status, text).to.equal(202)
      jobs.push(body.data.id)
    }
    return jobs
  }

  /** Asserts that every export is ready and, on a server, that it became ready once. */
  async function expectResults(client: Service['client']): Promise<void> {
    const { body } = await client.get('/catalog-exports')
    const statuses = body.data.map(({ attributes }: { attributes: { status: string } }) => attributes.status)
    expect(statuses).to.deep.equal(Array(exports + 2).fill('ready'))
    const results = await database?.orm.em.getConnection().execute('select count(*)::int as results from results')
    if (results) expect(results[0]?.results).to.equal(exports)
  }
})

describe('Failed job', () => {
  let library: TestApp
  afterEach(() => library.close())
  after(emptyLibrary)

  it('runs again after increasing delays until it succeeds, and logs every failure', async () => {
    await emptyLibrary()
    const runs: number[] = []
    const job = defineJob<{ name: string }>('label-shelf', async ({ name }, { attempt, finish }) => {
      runs.push(attempt)
      if (attempt < 2) throw new Error(`attempt failed, ${attempt}`)
      await finish(async ({ em }) => {
        await em.insert(Label, { text: name })
      })
    })
    const logged: string[] = []
    const record = ({ err }: { err?: Error }) => {
      if (err) logged.push(err.message)
    }
    library = await startLibrary({
      resources: [
        {
          file: 'shelves.ts',
          resource: defineResource(Shelf, {
            type: 'shelves',
            fields: ({ id, string }) => [id(), string('name')],
            create: accepted('shelves'),
            job,
            async accept({ name }, { context }) {
              await enqueue(job, { name }, context)
              return AcceptedForProcessing.poll('/shelves/1')
            },
          }),
        },
        {
          file: 'labels.ts',
          resource: defineResource(Label, { type: 'labels', fields: ({ id, string }) => [id(), string('text')] }),
        },
      ],
      logger: { error: record, warn: record, info: record },
    })
    const { client } = library
    await client.post('/shelves', { data: { type: 'shelves', attributes: { name: 'Poetry' } } })
    await eventually(async () => (await client.get('/labels')).body.data.length > 0)

    expect(runs).to.deep.equal([0, 1, 2])
    expect(logged).to.deep.equal(['attempt failed, 0', 'attempt failed, 1'])
    const { orm } = await libraryDatabase()
    const [row] = await orm.em
      .getConnection()
      .execute(
        "select retry_count, retry_delay, retry_backoff, started_on >= start_after as delayed from pgboss.job where name = 'label-shelf'",
      )
    expect(row).to.deep.equal({ retry_count: 2, retry_delay: 1, retry_backoff: true, delayed: true })
    expect((await client.get('/labels')).body.data).to.have.length(1)
  })
})

/** Adds a trigger that records, in the same transaction, when an export becomes ready. */
async function recordResults({ orm }: TestDatabase): Promise<void> {
  for (const statement of [
    'create table results (id int)',
    `create function note_result() returns trigger language plpgsql as
      $$ begin insert into results values (new.id); return new; end $$`,
    `create trigger note_result after update on catalog_exports for each row
      when (old.status = 'pending' and new.status = 'ready') execute function note_result()`,
  ]) {
    await orm.em.getConnection().execute(statement)
  }
}
