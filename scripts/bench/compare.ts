import { load, type Run } from './load.ts'
import type { MeasuredService } from './measured-service.ts'
import { median } from './report.ts'
import type { WorkItem, WorkRequest } from './work-items.ts'

export type Measured = readonly [item: WorkItem, service: MeasuredService]

export const comparisonOptions = {
  rounds: { type: 'string', default: '9' },
  seconds: { type: 'string', default: '2' },
  connections: { type: 'string', default: '8' },
} as const

export const comparisonUsage = `  --rounds n       default: 9
  --seconds n      seconds of a round; default: 2
  --connections n  default: 8`

type Settings = Readonly<Record<keyof typeof comparisonOptions, string>>

/** Prints the median of the ratios of neighbouring runs, first relative to second. */
export async function compare(name: string, first: Measured, second: Measured, settings: Settings): Promise<void> {
  const run = (measured: Measured, seconds = Number(settings.seconds)) =>
    runOnce(measured, Number(settings.connections), seconds)
  for (const measured of [first, second]) await run(measured, 4)
  const pairs: [Run, Run][] = []
  for (let round = 0; round < Number(settings.rounds); round++) {
    const before = round % 2 ? null : await run(first)
    const other = await run(second)
    pairs.push([before ?? (await run(first)), other])
  }
  const cpu = median(pairs.map(([a, b]) => a.cpu / b.cpu))
  const rate = median(pairs.map(([a, b]) => a.perSecond / b.perSecond))
  console.log(`${name}: CPU ${cpu.toFixed(3)}, requests per second ${rate.toFixed(3)}`)
}

async function runOnce([item, service]: Measured, connections: number, seconds: number): Promise<Run> {
  const result = await load(item, service, connections, seconds)
  if (result.failed > 0) throw new Error(`${item.name}: ${result.failed} requests failed.`)
  return result
}

/** An item that sends the requests in turn. */
export function toItem(name: string, ...requests: readonly WorkRequest[]): WorkItem {
  return { name, goal: 1, reads: true, requests: async () => requests }
}
