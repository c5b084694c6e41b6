import type { Limit } from './growth-limits.ts'
import type { Run } from './load.ts'

export interface Measurement {
  readonly item: string
  readonly goal: number
  readonly reads: boolean
  readonly connections: number
  readonly ours: readonly Run[]
  readonly handWritten: readonly Run[]
  readonly statements: readonly [ours: number, handWritten: number]
}

const columns = [
  'item',
  'conn.',
  'req/s',
  'by hand',
  'ratio',
  'goal',
  'p50',
  'by hand',
  'p99',
  'by hand',
  'CPU ms',
  'by hand',
  'SQL',
  'by hand',
]
const widths = [26, 5, 8, 8, 6, 5, 6, 8, 6, 8, 7, 8, 4, 8]

export function printTable(measured: readonly Measurement[], withHead: boolean): void {
  if (withHead) console.log(columns.map(pad).join(' '))
  for (const measurement of measured) {
    const { item, connections, goal, ours, handWritten, statements } = measurement
    const cells = [
      item,
      connections,
      medianOf(ours, 'perSecond').toFixed(0),
      medianOf(handWritten, 'perSecond').toFixed(0),
      ratioOf(measurement).toFixed(2),
      goal,
      medianOf(ours, 'p50'),
      medianOf(handWritten, 'p50'),
      medianOf(ours, 'p99'),
      medianOf(handWritten, 'p99'),
      medianOf(ours, 'cpu').toFixed(2),
      medianOf(handWritten, 'cpu').toFixed(2),
      ...statements,
    ]
    console.log(cells.map(pad).join(' '))
  }
}

/** Returns the missed goals, and the last line of the output. */
export function summarise(
  measured: readonly Measurement[],
  limits: readonly Limit[],
): { text: string; missed: readonly string[] } {
  const missed = [...measured.flatMap(missedGoals), ...limits.filter(isMissed).map(describe)]
  const reached = `${measured.length + limits.length} measured, all goals reached`
  return { text: missed.length === 0 ? reached : `${missed.length} goals missed: ${missed.join('; ')}`, missed }
}

export function printLimits(limits: readonly Limit[]): void {
  for (const limit of limits) console.log(describe(limit))
}

function describe({ name, value, goal }: Limit): string {
  return `${name}: ${value.toFixed(2)} of at most ${goal}`
}

function isMissed({ value, goal }: Limit): boolean {
  return !(value <= goal)
}

function missedGoals(measurement: Measurement): string[] {
  const { item, connections, goal, reads, ours, handWritten, statements } = measurement
  const where = `${item} at ${connections}`
  const failed = [...ours, ...handWritten].reduce((sum, run) => sum + run.failed, 0)
  return [
    ...(failed > 0 ? [`${where}: ${failed} requests failed`] : []),
    ...(ratioOf(measurement) < goal ? [`${where}: ${ratioOf(measurement).toFixed(2)} of ${goal}`] : []),
    ...(reads && statements[0] > statements[1] ? [`${where}: ${statements[0]} statements, not ${statements[1]}`] : []),
    ...(connections === 32 && reads && latencyRatio(measurement) > 1.4
      ? [`${where}: p50 ${latencyRatio(measurement).toFixed(2)} times as long`]
      : []),
  ]
}

/** The median of the ratios per round: both runs of a round had the same load on the machine. */
function ratioOf({ ours, handWritten }: Measurement): number {
  return median(ours.map((run, index) => run.perSecond / (handWritten[index]?.perSecond ?? Number.NaN)))
}

function latencyRatio({ ours, handWritten }: Measurement): number {
  return medianOf(ours, 'p50') / medianOf(handWritten, 'p50')
}

function medianOf(runs: readonly Run[], key: keyof Run): number {
  return median(runs.map((run) => run[key]))
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number
}

function pad(cell: string | number, index: number): string {
  const text = String(cell)
  return index === 0 ? text.padEnd(widths[0] as number) : text.padStart(widths[index] as number)
}
