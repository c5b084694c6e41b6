import type { History } from './history.ts'
import { readVersionOrders } from './version-orders.ts'

export const sessionGuarantees = ['read-your-writes', 'monotonic-reads'] as const

export interface SessionViolation {
  readonly guarantee: (typeof sessionGuarantees)[number]
  readonly message: string
}

/** What a session has seen of a list: the length after its last own append, and the longest read. */
interface Seen {
  written: number
  read: number
}

/** Returns the reads that miss an append of the same session, or an append that an earlier read of it showed. */
export function checkSessions(history: History): SessionViolation[] {
  const { longest, effective } = readVersionOrders(history)
  const sessions = new Map<string, Seen>()
  const violations: SessionViolation[] = []
  for (const { id, session, operations } of effective) {
    for (const operation of operations) {
      const key = `${session} ${operation.list}`
      const seen = sessions.get(key) ?? { written: 0, read: 0 }
      sessions.set(key, seen)
      if (operation.kind === 'append') {
        seen.written = (longest.get(operation.list)?.indexOf(operation.element) ?? -1) + 1
        continue
      }
      const { length } = operation.elements
      const subject = `Transaction ${id} of client ${session} reads ${length} elements of list ${operation.list}`
      if (length < seen.written) {
        const message = `${subject}, after its own append at position ${seen.written}.`
        violations.push({ guarantee: 'read-your-writes', message })
      } else if (length < seen.read) {
        const message = `${subject}, after a read of ${seen.read} elements.`
        violations.push({ guarantee: 'monotonic-reads', message })
      }
      seen.read = Math.max(seen.read, length)
    }
  }
  return violations
}
