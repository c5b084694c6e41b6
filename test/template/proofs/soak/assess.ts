import type { EnduranceResult, Sample } from './run-endurance.ts'

export interface Finding {
  readonly name: string
  readonly value: string
  readonly limit: string
  readonly holds: boolean
  /** Whether it decides only in a run of at least 20 minutes: shorter ones measure the warm-up. */
  readonly needsLongRun: boolean
}

/** Samples of the first part of a run are of the warm-up. */
const warmUp = 0.3
/** Handles and prepared statements beyond those after the warm-up. A pool may be fuller than at the first sample. */
const tolerance = 12
/** Samples in which other machines of the host have taken more of the CPU, in percent, have long response times. */
const maxStolen = 5
/** The other samples that p99 needs. */
const minQuiet = 9
const megabyte = 1_048_576

export function assess(result: EnduranceResult): Finding[] {
  const { samples, counts, lost, unacknowledged, failures } = result
  const warm = samples.slice(Math.floor(samples.length * warmUp))
  const [first, last] = [warm[0], warm.at(-1)]
  if (!first || !last) throw new Error('The run was too short for two samples.')
  const slope = Math.max(...first.processes.map((_, index) => heapSlope(warm, index)))
  const quiet = warm.filter(({ stolen }) => stolen <= maxStolen)
  const third = Math.ceil(quiet.length / 3)
  const [before, after] = [median(quiet.slice(0, third)), median(quiet.slice(-third))]
  const exact = (name: string, values: readonly string[] | number): Finding => {
    const value = typeof values === 'number' ? values : values.length
    const shown = typeof values === 'number' || value === 0 ? `${value}` : `${value}: ${values.slice(0, 3).join(', ')}`
    return { name, value: shown, limit: '0', holds: value === 0, needsLongRun: false }
  }
  return [
    exact('acknowledged rows that are missing', lost),
    exact('rows that were not acknowledged', unacknowledged),
    exact('unexpected responses', failures),
    exact('transactions left open', Math.max(...samples.map(({ openTransactions }) => openTransactions))),
    growth('open handles of a process', first, last, ({ handles }) => sum(Object.values(handles))),
    growth('prepared statements of a connection', first, last, ({ prepared }) => prepared),
    {
      name: 'growth of the heap, per 10 minutes',
      value: `${slope.toFixed(2)} MB (${formatHeap(first)} MB, at the end ${formatHeap(last)} MB)`,
      limit: '1 MB',
      holds: slope <= 1,
      needsLongRun: true,
    },
    {
      name: 'p99 of the response times, first and last third',
      value: `${before.toFixed(1)} ms, ${after.toFixed(1)} ms; ${quiet.length} of ${warm.length} samples`,
      limit: `+ 50 %; ${minQuiet} samples`,
      holds: quiet.length >= minQuiet && after <= before * 1.5,
      needsLongRun: true,
    },
    {
      name: 'faults',
      value: `${counts.faults} beside ${counts.requests} requests`,
      limit: 'at least 1',
      holds: counts.faults > 0,
      needsLongRun: false,
    },
  ]
}

type Process = Sample['processes'][number]

function growth(name: string, first: Sample, last: Sample, count: (process: Process) => number): Finding {
  const [before, after] = [first, last].map(({ processes }) => Math.max(...processes.map(count))) as [number, number]
  return {
    name,
    value: `${before}, at the end ${after}`,
    limit: `+ ${tolerance}`,
    holds: after <= before + tolerance,
    needsLongRun: false,
  }
}

/** Returns the slope of the heap and of buffers in megabytes per 10 minutes, by linear regression. */
function heapSlope(samples: readonly Sample[], index: number): number {
  const points = samples.map(({ at, processes }) => {
    const { heap, external } = processes[index] as Process
    return { x: at / 10, y: (heap + external) / megabyte }
  })
  const [meanX, meanY] = [sum(points.map(({ x }) => x)), sum(points.map(({ y }) => y))].map((s) => s / points.length)
  const covariance = sum(points.map(({ x, y }) => (x - (meanX ?? 0)) * (y - (meanY ?? 0))))
  return covariance / sum(points.map(({ x }) => (x - (meanX ?? 0)) ** 2))
}

function formatHeap({ processes }: Sample): string {
  return (Math.max(...processes.map(({ heap, external }) => heap + external)) / megabyte).toFixed(1)
}

function median(samples: readonly Sample[]): number {
  return samples.map(({ p99 }) => p99).toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? 0
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
