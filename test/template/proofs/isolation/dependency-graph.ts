import type { Transaction } from './history.ts'
import { listReads, type VersionOrders } from './version-orders.ts'

/**
 * A dependency of the transaction `to` on the transaction `from`, by one list:
 * ww: `to` appended behind `from`; wr: `to` read what `from` appended; rw: `to` appended behind what `from` read.
 */
export interface Dependency {
  readonly kind: 'ww' | 'wr' | 'rw'
  readonly from: Transaction
  readonly to: Transaction
  readonly list: number
}

/** Returns the direct dependencies between the transactions that took effect. */
export function readDependencies({ longest, writers, effective }: VersionOrders): Dependency[] {
  const dependencies = [...longest].flatMap(([list, order]) =>
    order.slice(1).map((element, index) => ({
      kind: 'ww' as const,
      from: writers.get(order[index] as number),
      to: writers.get(element),
      list,
    })),
  )
  const reads = effective.flatMap((reader) =>
    listReads(reader).flatMap(({ list, elements }) => {
      const last = writers.get(elements.at(-1) as number)
      const next = writers.get(longest.get(list)?.[elements.length] as number)
      // The last element of an intermediate read is no version of the list: G1b.
      const missed = next === last ? undefined : next
      return [
        { kind: 'wr' as const, from: last, to: reader, list },
        { kind: 'rw' as const, from: reader, to: missed, list },
      ]
    }),
  )
  return [...dependencies, ...reads].filter(
    (dependency): dependency is Dependency =>
      dependency.from !== undefined && dependency.to !== undefined && dependency.from !== dependency.to,
  )
}
