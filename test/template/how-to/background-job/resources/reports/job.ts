import { defineJob } from '#plugins/async-writes/index.ts'
import { ReportJob } from '../report-jobs/entity.ts'
import { countDays } from './count-days.ts'
import { Report } from './entity.ts'

interface ReportData {
  readonly reportId: string
  readonly year: number
}

const lastAttempt = 5

export const buildReport = defineJob<ReportData>('build-report', async (report, job) => {
  const save = (values: Partial<ReportJob>) =>
    job.store.write(({ em }) => em.nativeUpdate(ReportJob, { id: job.id, state: 'processing' }, values))
  let days = 0
  try {
    for (let month = 0; month < 12; month++) {
      days += await countDays(report.year, month)
      await save({ progress: Math.round(((month + 1) / 12) * 100) })
    }
  } catch (error) {
    if (job.attempt === lastAttempt) await save({ state: 'failed' })
    throw error
  }

  await job.finish(async ({ em }) => {
    await em.nativeUpdate(Report, { id: report.reportId }, { days })
    await em.nativeUpdate(ReportJob, { id: job.id }, { state: 'completed' })
  })
})
