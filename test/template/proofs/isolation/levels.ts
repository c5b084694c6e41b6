import type { AnomalyKind } from './history.ts'

/** A way to send transactions, and the anomalies that its isolation level does not exclude. */
export interface Level {
  readonly name: LevelName
  readonly description: string
  readonly mayOccur: readonly AnomalyKind[]
}

export type LevelName = 'requests' | 'all-versions' | 'one-version' | 'no-version' | 'included'

export const levels: readonly Level[] = [
  { name: 'requests', description: 'one request: a document or a batch', mayOccur: [] },
  { name: 'all-versions', description: 'read, then write with the version of every list read', mayOccur: [] },
  { name: 'one-version', description: 'read, then write with the version of the list written', mayOccur: ['G2-item'] },
  { name: 'no-version', description: 'read, then write without a version', mayOccur: ['G-single', 'G2-item'] },
  { name: 'included', description: 'write whose response includes other lists', mayOccur: ['G-single', 'G2-item'] },
]
