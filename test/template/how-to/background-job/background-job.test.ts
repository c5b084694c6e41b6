import { expect } from 'chai'
import type { ClientResponse } from '#test/support/client.ts'
import { eventually } from '#test/support/eventually.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'
import { ReportJob } from './resources/report-jobs/entity.ts'
import { buildReport } from './resources/reports/job.ts'

describe('docs/how-to/background-job.md', () => {
  let recipe: Recipe
  before(async () => {
    recipe = await startRecipe('background-job')
    await recipe.app.start()
  })
  after(() => recipe.close())

  const create = (year: number) => recipe.client.post('/reports', { data: { type: 'reports', attributes: { year } } })

  it('shows the responses that the application returns', () => runRecipe('background-job', recipe))

  it('redirects from the job to the report when the job is completed', async () => {
    const { status, headers, body } = await create(2028)
    expect(status).to.equal(202)
    expect(headers.get('retry-after')).to.equal('5')
    const location = new URL(headers.get('content-location') as string)
    expect(location.pathname).to.equal(`/report-jobs/${body.data.id}`)
    const completed = (await eventually(async () => {
      const response = await recipe.client.get(location.pathname)
      return response.status === 303 ? response : null
    })) as ClientResponse
    const report = await recipe.client.get(completed.headers.get('location') as string)
    expect(report.body.data.attributes).to.deep.equal({ year: 2028, days: 366 })
  })

  it('shows the state failed after the last attempt', async () => {
    const id = '0197a000-0000-4000-8000-000000000001'
    await recipe.database.orm.em.fork().insert(ReportJob, { id, reportId: id })
    const job = { id, signal: new AbortController().signal, finish: async () => true, store: recipe.app.store }
    const state = async () => (await recipe.client.get(`/report-jobs/${id}`)).body.data.attributes.state
    for (const [attempt, expected] of [
      [4, 'processing'],
      [5, 'failed'],
    ] as const) {
      const run = buildReport.run(failing, { ...job, attempt })
      expect(await run.catch(({ message }) => message)).to.equal('The work fails.')
      expect(await state()).to.equal(expected)
    }
  })
})

/** Data whose year cannot be read. */
const failing = {
  reportId: '',
  get year(): number {
    throw new Error('The work fails.')
  },
}
