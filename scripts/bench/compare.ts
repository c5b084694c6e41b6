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

/** Instances of one variant of the service. */
export interface Variant {
  readonly name: string
  readonly services: readonly MeasuredService[]
}

/** The CPU of two processes of the same code differs by a tenth, so that a variant needs several. */
const instances = 3

/** Starts the processes of a variant, and warms them up with the item. */
export async function startVariant(
  name: string,
  warmUp: WorkItem,
  start: () => Promise<MeasuredService>,
): Promise<Variant> {
  const services: MeasuredService[] = []
  for (let count = 0; count < instances; count++) {
    const service = await start()
    await load(warmUp, service, 8, 10)
    services.push(service)
  }
  return { name, services }
}

export async function stopVariants(variants: readonly Variant[]): Promise<void> {
  await Promise.all(variants.flatMap(({ services }) => services.map((service) => service.stop())))
}

/** Prints CPU and throughput of variants relative to the first one: the mean of their processes, each by its median. */
export async function compareVariants(item: WorkItem, variants: readonly Variant[], settings: Settings): Promise<void> {
  const { rounds, connections, seconds } = settings
  const runs = new Map<MeasuredService, Run[]>()
  const all = variants.flatMap(({ services }) => services)
  for (const service of all) runs.set(service, [])
  for (let round = 0; round < Number(rounds); round++) {
    for (const service of round % 2 ? all.toReversed() : all) {
      runs.get(service)?.push(await runOnce([item, service], Number(connections), Number(seconds)))
    }
  }
  const meanOf = ({ services }: Variant, key: 'cpu' | 'perSecond') =>
    services.reduce((sum, service) => sum + median((runs.get(service) ?? []).map((run) => run[key])), 0) / instances
  const [base, ...others] = variants as [Variant, ...Variant[]]
  for (const variant of others) {
    const [cpu, rate] = (['cpu', 'perSecond'] as const).map((key) => meanOf(variant, key) / meanOf(base, key))
    console.log(`${item.name}, ${variant.name}: CPU ${cpu?.toFixed(3)}, requests per second ${rate?.toFixed(3)}`)
  }
}

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
