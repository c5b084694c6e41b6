import { load, type Run } from './load.ts'
import type { MeasuredService } from './measured-service.ts'
import { median } from './report.ts'
import type { WorkItem, WorkRequest } from './work-items.ts'

/** An item, and equal applications: two applications of the same code differ by what the runtime has compiled for each. */
type Measured = readonly [item: WorkItem, services: readonly MeasuredService[]]

export const comparisonOptions = {
  rounds: { type: 'string', default: '9' },
  seconds: { type: 'string', default: '2' },
  connections: { type: 'string', default: '8' },
} as const

export const comparisonUsage = `  --rounds n       default: 9
  --seconds n      seconds of a round; default: 2
  --connections n  default: 8`

type Settings = Readonly<Record<keyof typeof comparisonOptions, string>>

/** Prints the median of the ratios of neighbouring runs, first relative to second. Each round uses other applications. */
export async function compare(name: string, first: Measured, second: Measured, settings: Settings): Promise<void> {
  const run = ([item, services]: Measured, round: number, seconds = Number(settings.seconds)) =>
    runOnce(item, services[round % services.length] as MeasuredService, Number(settings.connections), seconds)
  for (const measured of [first, second]) {
    for (const index of measured[1].keys()) await run(measured, index, 4)
  }
  const pairs: [Run, Run][] = []
  for (let round = 0; round < Number(settings.rounds); round++) {
    const pair = Math.floor(round / 2)
    const before = round % 2 ? null : await run(first, pair)
    const other = await run(second, pair)
    pairs.push([before ?? (await run(first, pair)), other])
  }
  const cpu = median(pairs.map(([a, b]) => a.cpu / b.cpu))
  const rate = median(pairs.map(([a, b]) => a.perSecond / b.perSecond))
  console.log(`${name}: CPU ${cpu.toFixed(3)}, requests per second ${rate.toFixed(3)}`)
}

async function runOnce(item: WorkItem, service: MeasuredService, connections: number, seconds: number): Promise<Run> {
  const result = await load(item, service, connections, seconds)
  if (result.failed > 0) throw new Error(`${item.name}: ${result.failed} requests failed.`)
  return result
}

/** The applications of the same plugins, in a list whose second half repeats the first in reverse order. */
export function equalServices(services: readonly MeasuredService[], index: number): MeasuredService[] {
  return [services[index], services.at(-1 - index)] as MeasuredService[]
}

/** An item that sends the requests in turn. */
export function toItem(name: string, ...requests: readonly WorkRequest[]): WorkItem {
  return { name, goal: 1, reads: true, requests: async () => requests }
}
