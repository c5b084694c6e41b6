import { createRandomSource } from '#test/conformance/random.ts'
import { type CatalogueRequest, catalogue } from './catalogue.ts'
import { type Fault, faults } from './faults.ts'
import { type CleanRun, type FaultPoint, runClean, runPoint } from './prove-faults.ts'
import { type Subject, withSubject } from './subject.ts'

export interface FaultOptions {
  /** Tries two faults per driver call, chosen by the seed, instead of all. */
  readonly isShort: boolean
  readonly seed: number
  /** The name of the only request, the number of the only call, the only fault. */
  readonly only?: string | undefined
  readonly call?: number | undefined
  readonly fault?: string | undefined
  readonly progress: (line: string) => void
}

export interface Finding {
  readonly point: FaultPoint
  /** The statement of the call. */
  readonly text: string
  readonly problems: readonly string[]
}

export interface RequestCount {
  readonly name: string
  readonly calls: number
  readonly points: number
  readonly violations: number
}

/** Tries the fault points of all requests, one after the other. */
export function findFaults(options: FaultOptions): Promise<{ counts: RequestCount[]; found: Finding[] }> {
  return withSubject(async (subject) => {
    const counts: RequestCount[] = []
    const found: Finding[] = []
    for (const request of catalogue) {
      if (options.only !== undefined && request.name !== options.only) continue
      const clean = await runCleanAgain(subject, request)
      const points = faultPoints(subject, request, clean, options)
      const before = found.length
      for (const point of points) {
        options.progress(`${request.name}, call ${point.call}, ${point.fault}`)
        const problems = await runPoint(subject, point, clean)
        if (problems.length > 0) found.push({ point, text: clean.calls[point.call - 1] ?? '', problems })
      }
      const violations = found.length - before
      counts.push({ name: request.name, calls: clean.calls.length, points: points.length, violations })
    }
    return { counts, found }
  })
}

/** The last run has warm plans, caches and connections. Throws if the outcome is not the same: it could not be compared. */
async function runCleanAgain(subject: Subject, request: CatalogueRequest): Promise<CleanRun> {
  const first = await runClean(subject, request)
  await runClean(subject, request)
  const second = await runClean(subject, request)
  if (second.status >= 500 || first.after !== second.after || first.status !== second.status) {
    throw new Error(
      `${request.name} returns ${first.status}, later ${second.status}:\n${first.after}\n\n${second.after}`,
    )
  }
  return second
}

function faultPoints(
  { pool }: Subject,
  request: CatalogueRequest,
  { calls }: CleanRun,
  { isShort, seed, call, fault }: FaultOptions,
): FaultPoint[] {
  const random = createRandomSource(seed)
  const opening: FaultPoint[] = pool ? [{ request, call: 0, fault: '53300' }] : []
  const points = calls.flatMap((_, index) =>
    chosen(random, isShort).map((one): FaultPoint => ({ request, call: index + 1, fault: one })),
  )
  return [...opening, ...points].filter(
    (point) => (call === undefined || point.call === call) && (fault === undefined || point.fault === fault),
  )
}

function chosen(random: ReturnType<typeof createRandomSource>, isShort: boolean): readonly Fault[] {
  if (!isShort) return faults
  const first = random.below(faults.length)
  const second = (first + 1 + random.below(faults.length - 1)) % faults.length
  return [faults[first], faults[second]] as Fault[]
}
