import { withService } from '../service.ts'
import { report } from './report.ts'
import { type SearchOptions, searchExpensiveRequests } from './search.ts'

export interface ExpensiveSearchOptions extends SearchOptions {
  readonly embedded: boolean
  /** Units of generated rows; a unit has 1,000 tracks. */
  readonly scale: number
}

/** Searches for the most expensive requests; the exit code is 1 if one exceeds a bound. */
export async function findExpensiveRequests({ embedded, scale, ...options }: ExpensiveSearchOptions): Promise<void> {
  await withService({ embedded, scale }, async (service) => {
    const found = await searchExpensiveRequests(service, options)
    await report(found, options.seed)
    if (found.broken.length > 0) process.exitCode = 1
  })
}
