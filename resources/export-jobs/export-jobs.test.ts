import { expect } from 'chai'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'

describe('Export jobs', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  it('show their state', async () => {
    const { body } = await client.get('/export-jobs')
    expect(body.data.map(({ id, attributes }: Job) => [id, attributes.state])).to.deep.equal([
      ['job-completed', 'completed'],
      ['job-processing', 'processing'],
    ])
    expect((await client.get('/export-jobs/job-processing')).body.data).to.deep.equal(body.data[1])
  })

  it('return 405 for writes', async () => {
    const data = { type: 'export-jobs', id: 'job-processing', attributes: { state: 'completed' } }
    expect((await client.post('/export-jobs', { data })).status).to.equal(405)
    expect((await client.patch('/export-jobs/job-processing', { data })).status).to.equal(405)
    expect((await client.delete('/export-jobs/job-processing')).status).to.equal(405)
  })

  it('return 303 to their result when they are completed', async () => {
    const { status, headers, body } = await client.get('/export-jobs/job-completed')
    expect(status).to.equal(303)
    expect(headers.get('location')).to.match(/\/catalog-exports\/1$/)
    expect(body).to.equal(null)
  })

  it('are deleted with their export', async () => {
    expect((await client.delete('/catalog-exports/1')).status).to.equal(204)
    expect((await client.get('/export-jobs/job-completed')).status).to.equal(404)
    expect((await client.get('/export-jobs/job-processing')).status).to.equal(200)
  })
})

interface Job {
  readonly id: string
  readonly attributes: { readonly state: string }
}
