import type { Orm } from '#store/connection/types.ts'
import type { JobBacklog } from './contract.ts'

/** Uses the partial index of pg-boss for jobs that have not begun. */
const waitingJobs = `
  select name as job, count(*)::int as waiting, extract(epoch from now() - min(start_after))::float8 as "oldestSeconds"
  from pgboss.job where state < 'active' and start_after <= now() group by name`

/** Counts the due jobs by name, by one statement. */
export async function readBacklog({ em }: Orm, jobs: readonly string[]): Promise<JobBacklog[]> {
  const rows = await em.fork().execute<JobBacklog[]>(waitingJobs)
  return jobs.map((job) => rows.find((row) => row.job === job) ?? { job, waiting: 0, oldestSeconds: 0 })
}
