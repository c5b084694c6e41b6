/** A read or an append of one list. Every element is appended at most once in a history. */
export type Operation =
  | { readonly kind: 'append'; readonly list: number; readonly element: number }
  | { readonly kind: 'read'; readonly list: number; readonly elements: readonly number[] }

/** The operations of a client that have to take effect together, in their order. */
export interface Transaction {
  readonly id: number
  /** The client that ran it. A client runs one transaction after the other. */
  readonly session: number
  /** `unknown` if there was no response, or one that leaves the outcome open. */
  readonly outcome: 'committed' | 'aborted' | 'unknown'
  readonly operations: readonly Operation[]
}

/** Transactions in the order in which they ended. */
export type History = readonly Transaction[]

export const anomalyKinds = ['G0', 'G1a', 'G1b', 'G1c', 'G-single', 'G2-item', 'invalid-read', 'lost-append'] as const

/**
 * - G0: writes of transactions are interleaved (dirty write).
 * - G1a: an element of an aborted transaction was read (aborted read).
 * - G1b: a state between two appends of another transaction was read (intermediate read).
 * - G1c: transactions read or overwrite each other's writes in a circle (circular information flow).
 * - G-single: a transaction missed a write of a transaction it depends on (read skew, lost update).
 * - G2-item: transactions missed each other's writes in a circle (write skew, long fork).
 * - invalid-read: no order of the appends explains a read.
 * - lost-append: a committed element is missing in the final read.
 */
export type AnomalyKind = (typeof anomalyKinds)[number]

export interface Anomaly {
  readonly kind: AnomalyKind
  readonly message: string
  /** The transactions that show it. */
  readonly transactions: History
  /** The lists in question. */
  readonly lists: ReadonlySet<number>
}
