import type { SqlEntityManager } from '@mikro-orm/sql'
import type { Deadline } from '#kernel/store'
import type { Database } from '../connection/types.ts'
import { beginByOrm, endByOrm } from './begin.ts'
import type { Transaction } from './write-transaction.ts'

/** Begins and ends a transaction; one without `begin` begins with its first statement. */
export interface TransactionControl
  extends Pick<Transaction, 'commit' | 'rollback'>,
    Partial<Pick<Transaction, 'position'>> {
  begin?(): Promise<void>
}

/** A transaction that MikroORM manages: its transaction events need one. */
export function managedTransaction(
  em: SqlEntityManager,
  deadline: Deadline | null,
  writes: Database['writes'],
): TransactionControl {
  return {
    async begin() {
      await writes?.acquire()
      await beginByOrm(em).catch((error) => {
        writes?.release()
        throw error
      })
    },
    async commit() {
      await endByOrm(em, 'commit')
      writes?.release()
    },
    async rollback() {
      const transaction = em.getTransactionContext()
      await endByOrm(em, 'rollback').finally(() => writes?.release())
      // Work that continues after the deadline must not write outside of the transaction.
      if (deadline?.hasExpired && transaction) em.setTransactionContext(transaction)
    },
  }
}
