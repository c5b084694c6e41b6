import { expect } from 'chai'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { as } from '#test/support/principals.ts'

describe('Export jobs', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  it('return their state in the collection and at their URL', async () => {
    const { body } = await client.get('/export-jobs', as('admin'))
    expect(body.data.map(({ id, attributes }: Job) => [id, attributes.state])).to.deep.equal([
      ['job-completed', 'completed'],
      ['job-processing', 'processing'],
    ])
    expect((await client.get('/export-jobs/job-processing')).body.data).to.deep.equal(body.data[1])
  })

  it('are listed and found by the principal that requested them, and by administrators', async () => {
    const [ada, mallory] = [as('ada@example.com'), as('mallory@example.com')]
    const data = { type: 'catalog-exports', attributes: { format: 'csv' } }
    const { body } = await client.post('/catalog-exports', { data }, ada)
    const { id } = body.data
    const idsFor = async (principal: Record<string, string>) =>
      (await client.get('/export-jobs', principal)).body.data.map((job: Job) => job.id)
    expect(await idsFor(ada)).to.deep.equal([id])
    expect(await idsFor(mallory)).to.deep.equal([])
    expect(await idsFor(as('admin'))).to.have.members([id, 'job-completed', 'job-processing'])
    const isFound = async (principal: Record<string, string>) =>
      (await client.get(`/export-jobs/${id}`, principal)).status !== 404
    expect([await isFound(ada), await isFound(mallory), await isFound({})]).to.deep.equal([true, false, false])
  })

  it('return 401 when an anonymous caller lists them', async () => {
    expect((await client.get('/export-jobs')).status).to.equal(401)
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
