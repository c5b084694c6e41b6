import { type Cycle, findCycles } from './cycles.ts'
import { type Dependency, readDependencies } from './dependency-graph.ts'
import type { Anomaly, AnomalyKind, History } from './history.ts'
import { readVersionOrders } from './version-orders.ts'

/**
 * Returns the anomalies of a list-append history, in the terms of Adya ("Weak Consistency", 1999) and by the method of
 * Elle (Kingsbury and Alvaro, 2020): a read of a list shows the order of all appends before it, so the dependencies
 * between transactions are facts of the history.
 */
export function checkHistory(history: History): Anomaly[] {
  const orders = readVersionOrders(history)
  const dependencies = readDependencies(orders)
  const single = findCycles(dependencies, 'rw', ['ww', 'wr'])
  const several = findCycles(dependencies, 'rw', ['ww', 'wr', 'rw']).filter(
    (cycle) => countDependencies(cycle, 'rw') > 1,
  )
  return [
    ...orders.anomalies,
    ...findCycles(dependencies, 'ww', ['ww']).map((cycle) => toAnomaly('G0', cycle)),
    ...findCycles(dependencies, 'wr', ['ww', 'wr']).map((cycle) => toAnomaly('G1c', cycle)),
    ...single.map((cycle) => toAnomaly('G-single', cycle)),
    ...several.map((cycle) => toAnomaly('G2-item', cycle)),
  ]
}

function countDependencies(cycle: Cycle, kind: Dependency['kind']): number {
  return cycle.filter((dependency) => dependency.kind === kind).length
}

function toAnomaly(kind: AnomalyKind, cycle: Cycle): Anomaly {
  return {
    kind,
    message: cycle.map(describe).join(' '),
    transactions: cycle.map(({ from }) => from),
    lists: new Set(cycle.map(({ list }) => list)),
  }
}

function describe({ kind, from, to, list }: Dependency): string {
  if (kind === 'ww') return `Transaction ${to.id} appended to list ${list} behind ${from.id} (ww).`
  if (kind === 'wr') return `Transaction ${to.id} read list ${list} as ${from.id} left it (wr).`
  return `Transaction ${from.id} read list ${list} without the append of ${to.id} (rw).`
}
