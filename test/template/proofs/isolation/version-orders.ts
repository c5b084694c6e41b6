import type { Anomaly, AnomalyKind, History, Operation, Transaction } from './history.ts'

/** The orders in which the elements of each list were appended, as the reads of a history show them. */
export interface VersionOrders {
  /** The elements of the longest read of each list. */
  readonly longest: ReadonlyMap<number, readonly number[]>
  readonly writers: ReadonlyMap<number, Transaction>
  /** Transactions that took effect: the committed ones, and those of unknown outcome with an element that was read. */
  readonly effective: History
  readonly anomalies: readonly Anomaly[]
}

type Read = Extract<Operation, { kind: 'read' }>
type Append = Extract<Operation, { kind: 'append' }>

/** Reads the version orders. Reports reads that contradict them, and elements that were read or lost by fault. */
export function readVersionOrders(history: History): VersionOrders {
  const writers = new Map(history.flatMap((writer) => listAppends(writer).map(({ element }) => [element, writer])))
  const longest = longestReads(history)
  const present = new Set([...longest.values()].flat())
  const effective = history.filter(
    ({ outcome, operations }) =>
      outcome === 'committed' ||
      (outcome === 'unknown' && operations.some((each) => each.kind === 'append' && present.has(each.element))),
  )
  const anomalies = effective.flatMap((transaction) => [
    ...listReads(transaction).flatMap((read) => findReadAnomalies(transaction, read, { longest, writers })),
    ...findOwnAppendsMissing(transaction),
    ...findLostAppends(transaction, longest),
  ])
  return { longest, writers, effective, anomalies }
}

export function listReads({ operations }: Transaction): Read[] {
  return operations.filter((operation) => operation.kind === 'read')
}

export function listAppends({ operations }: Transaction): Append[] {
  return operations.filter((operation) => operation.kind === 'append')
}

/** Reads of aborted transactions do not count: the service answered none of them. */
function longestReads(history: History): Map<number, readonly number[]> {
  const longest = new Map<number, readonly number[]>()
  for (const transaction of history) {
    for (const { list, elements } of listReads(transaction)) {
      if (elements.length > (longest.get(list)?.length ?? -1)) longest.set(list, elements)
    }
  }
  return longest
}

function findReadAnomalies(
  transaction: Transaction,
  { list, elements }: Read,
  { longest, writers }: Pick<VersionOrders, 'longest' | 'writers'>,
): Anomaly[] {
  const report = (kind: AnomalyKind, message: string, ...others: Transaction[]): Anomaly => ({
    kind,
    message: `Transaction ${transaction.id} ${message}`,
    transactions: [...new Set([...others, transaction])],
    lists: new Set([list]),
  })
  const order = longest.get(list) ?? []
  const unexplained = elements.findIndex((element, index) => order[index] !== element)
  const anomalies: Anomaly[] = []
  if (unexplained >= 0) {
    const message = `reads ${elements[unexplained]} at position ${unexplained} of list ${list}, another read ${order[unexplained]}.`
    anomalies.push(report('invalid-read', message))
  }
  if (new Set(elements).size < elements.length) {
    anomalies.push(report('invalid-read', `reads an element of list ${list} twice.`))
  }
  for (const element of elements) {
    const writer = writers.get(element)
    if (!writer) anomalies.push(report('invalid-read', `reads ${element}, which no transaction appended.`))
    else if (writer.outcome === 'aborted') {
      anomalies.push(report('G1a', `reads ${element} of the aborted transaction ${writer.id}.`, writer))
    }
  }
  const last = elements.at(-1)
  const writer = last === undefined ? undefined : writers.get(last)
  if (
    writer &&
    writer !== transaction &&
    listAppends(writer).findLast((each) => each.list === list)?.element !== last
  ) {
    anomalies.push(report('G1b', `reads ${last}, after which transaction ${writer.id} appended again.`, writer))
  }
  return anomalies
}

/** Finds reads that do not end with the appends of the same transaction that precede them. */
function findOwnAppendsMissing(transaction: Transaction): Anomaly[] {
  const appended = new Map<number, number[]>()
  return transaction.operations.flatMap((operation): Anomaly[] => {
    const before = appended.get(operation.list) ?? []
    if (operation.kind === 'append') {
      appended.set(operation.list, [...before, operation.element])
      return []
    }
    const end = before.length === 0 ? [] : operation.elements.slice(-before.length)
    if (end.join() === before.join()) return []
    const message = `Transaction ${transaction.id} reads list ${operation.list} without its own appends at the end.`
    return [{ kind: 'invalid-read', message, transactions: [transaction], lists: new Set([operation.list]) }]
  })
}

/** Applies to lists that were read: a history ends with a read of all lists. */
function findLostAppends(transaction: Transaction, longest: VersionOrders['longest']): Anomaly[] {
  const lost = listAppends(transaction).filter(({ list, element }) => longest.get(list)?.includes(element) === false)
  return lost.map(({ list, element }) => ({
    kind: 'lost-append',
    message: `Transaction ${transaction.id} appended ${element} to list ${list}; the longest read does not contain it.`,
    transactions: [transaction],
    lists: new Set([list]),
  }))
}
