import { expect } from 'chai'
import type { Context } from '#kernel'
import { Album } from '#resources/albums/entity.ts'
import { ExportJob } from '#resources/export-jobs/entity.ts'
import { emOf } from '#store'
import { markDirty, type TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { type Client, type ClientResponse, mediaType } from '#test/support/client.ts'
import { testDatabase } from '#test/support/database.ts'
import { as } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { waitForJob } from '#test/support/wait-for-job.ts'
import { CatalogExport } from './entity.ts'

describe('Catalog exports', () => {
  let app: TestApp['app']
  let client: Client

  before(async () => {
    const started = await catalogue()
    app = started.app
    client = started.client
    await app.store.queue.start()
  })

  const create = (format = 'csv') => client.post('/catalog-exports', { data: newExport(format) })

  it('return their format and their status', async () => {
    const { body } = await client.get('/catalog-exports')
    expect(body.data.map(({ attributes }: { attributes: object }) => attributes)).to.deep.equal([
      { format: 'csv', status: 'ready' },
      { format: 'json', status: 'ready' },
    ])
    expect((await client.get('/catalog-exports/2')).body.data).to.deep.equal(body.data[1])
  })

  it('accept DELETE, and return 405 for PATCH', async () => {
    const data = { type: 'catalog-exports', id: '1', attributes: { format: 'xml' } }
    expect((await client.patch('/catalog-exports/1', { data })).status).to.equal(405)
    expect((await client.delete('/catalog-exports/1')).status).to.equal(204)
    expect((await client.get('/catalog-exports/1')).status).to.equal(404)
  })

  it('RCM-05 return 202 with their job, which returns 303 to the export when it is completed', async () => {
    const { status, headers, body } = await create()
    expect(status).to.equal(202)
    expect(headers.get('retry-after')).to.equal('30')
    expect(headers.get('location')).to.equal(null)
    expect(headers.get('content-location')).to.equal(`${client.url}/export-jobs/${body.data.id}`)
    expect(body.data).to.deep.include({ type: 'export-jobs', attributes: { state: 'processing' } })

    const { headers: done } = await waitForJob(client, body.data.id)
    const made = await client.get(done.get('location') as string)
    expect(made.body.data).to.deep.include({
      type: 'catalog-exports',
      attributes: { format: 'csv', status: 'ready' },
    })
  })

  it('RCM-05 return 200 without Location for a job that runs', async () => {
    const { status, headers } = await client.get('/export-jobs/job-processing')
    expect([status, headers.get('location')]).to.deep.equal([200, null])
  })

  it('contain the published albums, in their format', async () => {
    expect(await readContent(await create('csv'))).to.equal('"1","OK Computer","Radiohead"\r\n"2","Dummy","Portishead"')
    expect(JSON.parse(await readContent(await create('json')))).to.deep.equal([
      { id: 1, title: 'OK Computer', artist: 'Radiohead' },
      { id: 2, title: 'Dummy', artist: 'Portishead' },
    ])
  })

  it('read 1,000 albums per statement', async () => {
    const rows = Array.from({ length: 2000 }, (_, index) => ({ id: 1001 + index, title: `Album ${index}`, artist: 1 }))
    await (await testDatabase()).orm.em.fork().insertMany(Album, rows)
    markDirty()
    let content = ''
    const statements = await statementsOf(async () => {
      content = await readContent(await create('csv'))
    })
    const reads = statements.filter(({ sql }) => /from "albums"/.test(sql))
    expect(reads).to.have.length(3)
    for (const { sql } of reads) expect(sql).to.match(/limit /)
    expect(content.split('\r\n')).to.have.length(2002)
    expect(content).to.match(/"3000","Album 1999","Radiohead"$/)
  })

  it('send the export, the queue, the job and the select of the job as their first four statements', async () => {
    let answer: ClientResponse | null = null
    const statements = await statementsOf(async () => {
      answer = await create()
    })
    const own = statements.filter(({ sql }) => !sql.includes('albums')).slice(0, 4)
    expect(own.map(({ sql }) => /catalog_exports|pgboss|export_jobs/.exec(sql)?.[0])).to.deep.equal([
      'catalog_exports',
      'pgboss',
      'export_jobs',
      'export_jobs',
    ])
    await waitForJob(client, (answer as unknown as ClientResponse).body.data.id)
  })

  it('return 422 without a format, and create no job', async () => {
    expect((await client.post('/catalog-exports', { data: { type: 'catalog-exports' } })).status).to.equal(422)
    expect((await create('a format with a long name')).status).to.equal(422)
    expect(await waiting()).to.deep.equal([])
  })

  it('return 422 in a batch, which creates neither an export nor a job', async () => {
    const extension = `${mediaType}; ext="https://jsonapi.org/ext/atomic"`
    const album = { type: 'albums', attributes: { title: 'Kid A' } }
    const operations = [album, newExport('csv')].map((data) => ({ op: 'add', data }))
    const { status, body } = await client.post(
      '/operations',
      { 'atomic:operations': operations },
      { accept: extension, 'content-type': extension },
    )
    expect(status).to.equal(422)
    expect(body.errors[0]).to.include({ code: 'ASYNC_WRITE_IN_ATOMIC_OPERATION' })
    expect(body.errors[0].source).to.deep.equal({ pointer: '/atomic:operations/1' })
    expect((await client.get('/catalog-exports')).body.data).to.have.length(2)
    expect((await client.get('/albums')).body.data).to.have.length(2)
    expect(await waiting()).to.deep.equal([])
  })

  it('return 200 for DELETE while their job runs, and cancel the job', async () => {
    const id = await exportTomorrow()
    expect(await waiting()).to.deep.equal([id])
    const { status, body } = await client.delete('/catalog-exports/3')
    expect(status).to.equal(200)
    expect(body).to.deep.equal({
      links: { self: `${client.url}/catalog-exports/3` },
      meta: { cancelled: true },
      jsonapi: { version: '1.1' },
    })
    expect((await client.get('/catalog-exports/3')).status).to.equal(404)
    expect((await client.get(`/export-jobs/${id}`)).status).to.equal(404)
    expect(await waiting()).to.deep.equal([])
  })

  it('return 204 for DELETE when they are completed', async () => {
    const { body } = await create()
    const { headers } = await waitForJob(client, body.data.id)
    expect((await client.delete(headers.get('location') as string)).status).to.equal(204)
    expect((await client.get(`/export-jobs/${body.data.id}`)).status).to.equal(404)
  })

  it('are either cancelled or completed when they are deleted concurrently with the worker, without leftovers', async () => {
    await Promise.all(Array.from({ length: 10 }, () => create()))
    const ids = (await fetchIds('/catalog-exports')).filter((id) => Number(id) > 2)
    expect(ids).to.have.length(10)
    const answers = await Promise.all(ids.toReversed().map((id) => client.delete(`/catalog-exports/${id}`)))
    for (const { status, text } of answers) expect([200, 204], text).to.include(status)
    expect(await fetchIds('/catalog-exports')).to.deep.equal(['1', '2'])
    expect(await fetchIds('/export-jobs')).to.deep.equal(['job-completed', 'job-processing'])
    expect(await waiting()).to.deep.equal([])
  })

  async function fetchIds(path: string): Promise<string[]> {
    const { body } = await client.get(`${path}?page[size]=50`, as('admin'))
    return body.data.map(({ id }: { id: string }) => id)
  }

  /** Creates an export whose job starts tomorrow, so that it stays queued during the test. */
  function exportTomorrow(): Promise<string> {
    markDirty()
    return app.store.write(async (unit) => {
      const em = emOf({ unit } as Context)
      const id = await unit.enqueue('export-catalog', { exportId: 3, format: 'csv' })
      await em.execute(`update pgboss.job set start_after = now() + interval '1 day' where id = ?`, [id])
      await em.insert(CatalogExport, { id: 3, format: 'csv', status: 'pending' })
      await em.insert(ExportJob, { id, state: 'processing', catalogExport: 3 })
      return id
    })
  }

  async function readContent({ body }: ClientResponse): Promise<string> {
    const { headers } = await waitForJob(client, body.data.id)
    const id = headers.get('location')?.split('/').at(-1)
    const { orm } = await testDatabase()
    const rows = await orm.em.getConnection().execute('select content from catalog_exports where id = ?', [id])
    return rows[0]?.content
  }

  /** The ids of all jobs in the queue that are not done. */
  async function waiting(): Promise<string[]> {
    const { orm } = await testDatabase()
    const rows = await orm.em.getConnection().execute("select id from pgboss.job where state < 'completed'")
    return rows.map((row) => row.id)
  }
})

function newExport(format: string) {
  return { type: 'catalog-exports', attributes: { format } }
}
