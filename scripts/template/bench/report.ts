import type { Limit } from './growth/limits.ts'
import type { Run } from './load.ts'

export interface Measurement {
  readonly item: string
  readonly goal: number
  readonly reads: boolean
  readonly connections: number
  /** The services: this one, then the one that it is compared with, then others. */
  readonly names: readonly string[]
  /** The runs of each service, one per round. */
  readonly runs: readonly (readonly Run[])[]
  /** The statements of one request of each service. */
  readonly statements: readonly number[]
}

const columns = ['item', 'conn.', 'service', 'req/s', 'ours ÷ it', 'p50', 'p99', 'CPU ms', 'DB CPU ms', 'bytes', 'SQL']
const widths = [26, 5, 9, 7, 9, 6, 6, 7, 9, 8, 4]

/** Prints one line per service. */
export function printTable(measured: readonly Measurement[], withHead: boolean): void {
  if (withHead) console.log(columns.map(pad).join(' '))
  for (const measurement of measured) {
    const { item, connections, names, runs, statements } = measurement
    for (const [index, name] of names.entries()) {
      const own = runs[index] as readonly Run[]
      const cells = [
        index === 0 ? item : '',
        index === 0 ? connections : '',
        name,
        medianFigure(own, 'perSecond').toFixed(0),
        index === 0 ? '' : medianRatio(measurement, index).toFixed(2),
        medianFigure(own, 'p50'),
        medianFigure(own, 'p99'),
        medianFigure(own, 'cpu').toFixed(3),
        medianFigure(own, 'databaseCpu').toFixed(3),
        medianFigure(own, 'bytes').toFixed(0),
        statements[index] || '',
      ]
      console.log(cells.map(pad).join(' '))
    }
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
  const { item, connections, goal, reads, runs, statements } = measurement
  const [ours = [], byHand = []] = runs
  const where = `${item} at ${connections}`
  const failed = runs.flat().reduce((sum, run) => sum + run.failed, 0)
  const ratio = medianRatio(measurement, 1)
  const tail = medianFigure(ours, 'p99') / medianFigure(byHand, 'p99')
  const [sent = 0, sentByHand = 0] = statements
  return [
    ...(failed > 0 ? [`${where}: ${failed} requests failed`] : []),
    ...(ratio < goal ? [`${where}: ${ratio.toFixed(2)} of ${goal}`] : []),
    ...(reads && sent > sentByHand ? [`${where}: ${sent} statements, not ${sentByHand}`] : []),
    ...(tail > 1.2 ? [`${where}: p99 ${tail.toFixed(2)} times as long`] : []),
  ]
}

/** The median of the ratios per round: the runs of a round had the same load on the machine. */
function medianRatio({ runs }: Measurement, index: number): number {
  const [ours = [], other = []] = [runs[0], runs[index]]
  return median(ours.map((run, round) => run.perSecond / (other[round]?.perSecond ?? Number.NaN)))
}

function medianFigure(runs: readonly Run[], key: keyof Run): number {
  return median(runs.map((run) => run[key]))
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number
}

function pad(cell: string | number, index: number): string {
  const text = String(cell)
  return index === 0 ? text.padEnd(widths[0] as number) : text.padStart(widths[index] as number)
}
