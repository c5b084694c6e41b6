import { withService } from '../service.ts'
import { report } from './report.ts'
import { type SearchOptions, searchDearest } from './search.ts'

export interface DearestOptions extends SearchOptions {
  readonly embedded: boolean
  /** Units of generated rows; a unit has 1,000 tracks. */
  readonly scale: number
}

/** Searches for the most expensive request; the exit code is 1 if one breaks a bound. */
export async function findDearest({ embedded, scale, ...options }: DearestOptions): Promise<void> {
  await withService({ embedded, scale }, async (service) => {
    const found = await searchDearest(service, options)
    await report(found, options.seed)
    if (found.broken.length > 0) process.exitCode = 1
  })
}
