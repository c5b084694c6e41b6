import type { Anomaly, Operation, Transaction } from './history.ts'

/** Returns the anomaly and its transactions, reduced to the lists in question. */
export function formatAnomaly({ kind, message, transactions, lists }: Anomaly): string {
  return [`${kind}: ${message}`, ...transactions.map((transaction) => formatTransaction(transaction, lists))].join('\n')
}

function formatTransaction({ id, session, outcome, operations }: Transaction, lists: ReadonlySet<number>): string {
  const relevant = operations.filter(({ list }) => lists.has(list)).map(formatOperation)
  return `  transaction ${id} of client ${session}, ${outcome}: ${relevant.join('; ')}`
}

/** The last elements of a read decide; a read of a long list shows three of them. */
function formatOperation(operation: Operation): string {
  if (operation.kind === 'append') return `append ${operation.element} to list ${operation.list}`
  const { list, elements } = operation
  const shown =
    elements.length > 3 ? `${elements.length - 3} more, ${elements.slice(-3).join(', ')}` : elements.join(', ')
  return `read list ${list}: [${shown}]`
}
