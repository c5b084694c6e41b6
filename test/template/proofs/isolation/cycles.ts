import type { Dependency } from './dependency-graph.ts'
import type { Transaction } from './history.ts'

type Edges = ReadonlyMap<Transaction, readonly Dependency[]>

/** Dependencies that lead from a transaction back to it. */
export type Cycle = readonly Dependency[]

/** Returns the shortest cycle through each dependency of the kind `through`, otherwise of the given kinds; short ones first. */
export function findCycles(
  dependencies: readonly Dependency[],
  through: Dependency['kind'],
  kinds: readonly Dependency['kind'][],
): Cycle[] {
  const used = dependencies.filter(({ kind }) => kind === through || kinds.includes(kind))
  const components = stronglyConnectedComponents(Map.groupBy(used, ({ from }) => from))
  const isInside = ({ from, to }: Dependency) => components.get(from) === components.get(to)
  const inside = used.filter(isInside)
  const edges = Map.groupBy(
    inside.filter(({ kind }) => kinds.includes(kind)),
    ({ from }) => from,
  )
  const cycles = inside.flatMap((dependency) => {
    const path = dependency.kind === through ? shortestPath(edges, dependency.to, dependency.from) : null
    return path ? [[dependency, ...path]] : []
  })
  return [...new Map(cycles.map((cycle) => [cycleKey(cycle), cycle])).values()].toSorted((a, b) => a.length - b.length)
}

/** The same transactions are the same cycle, wherever it begins. */
function cycleKey(cycle: Cycle): string {
  return cycle
    .map(({ from }) => from.id)
    .toSorted((a, b) => a - b)
    .join()
}

/** Returns the dependencies on the shortest path, by breadth-first search; null if there is none. */
function shortestPath(edges: Edges, start: Transaction, end: Transaction): Dependency[] | null {
  const reachedBy = new Map<Transaction, Dependency>()
  for (let queue = [start]; queue.length > 0; ) {
    const next: Transaction[] = []
    for (const dependency of queue.flatMap((transaction) => edges.get(transaction) ?? [])) {
      if (dependency.to === start || reachedBy.has(dependency.to)) continue
      reachedBy.set(dependency.to, dependency)
      if (dependency.to === end) return pathTo(end, start, reachedBy)
      next.push(dependency.to)
    }
    queue = next
  }
  return null
}

function pathTo(end: Transaction, start: Transaction, reachedBy: ReadonlyMap<Transaction, Dependency>): Dependency[] {
  const path: Dependency[] = []
  for (let at = end; at !== start; ) {
    const dependency = reachedBy.get(at) as Dependency
    path.unshift(dependency)
    at = dependency.from
  }
  return path
}

interface Visit {
  readonly transaction: Transaction
  readonly index: number
  lowest: number
  next: number
}

/** Numbers the strongly connected components, by Tarjan's algorithm without recursion. */
export function stronglyConnectedComponents(edges: Edges): Map<Transaction, number> {
  const components = new Map<Transaction, number>()
  const visits = new Map<Transaction, Visit>()
  const open: Visit[] = []
  let count = 0

  const enter = (transaction: Transaction): Visit => {
    const visit = { transaction, index: visits.size, lowest: visits.size, next: 0 }
    visits.set(transaction, visit)
    open.push(visit)
    return visit
  }
  /** All visits opened since the first of a component belong to it. */
  const leave = (visit: Visit) => {
    if (visit.lowest !== visit.index) return
    for (const member of open.splice(open.indexOf(visit))) components.set(member.transaction, count)
    count++
  }
  const explore = (first: Transaction) => {
    for (const path = [enter(first)]; path.length > 0; ) {
      const visit = path.at(-1) as Visit
      const target = edges.get(visit.transaction)?.[visit.next++]?.to
      const seen = target && visits.get(target)
      if (target && !seen) path.push(enter(target))
      else if (target && seen && !components.has(target)) visit.lowest = Math.min(visit.lowest, seen.index)
      else if (!target) {
        path.pop()
        const parent = path.at(-1)
        if (parent) parent.lowest = Math.min(parent.lowest, visit.lowest)
        leave(visit)
      }
    }
  }
  for (const transaction of edges.keys()) if (!visits.has(transaction)) explore(transaction)
  return components
}
