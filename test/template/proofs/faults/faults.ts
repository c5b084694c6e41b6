/** SQLSTATEs: serialization failure, deadlock, cancelled, too many connections, connection failure, disk full. */
export const sqlStates = ['40001', '40P01', '57014', '53300', '08006', '53100'] as const

export type SqlState = (typeof sqlStates)[number]

/**
 * A fault at one driver call. `cut before`: the connection is lost and the statement was not sent. `cut after`: it is lost
 * while the statement runs. `answer lost`: it is lost after the statement has run, a commit included.
 */
export type Fault = 'cut before' | 'cut after' | 'answer lost' | SqlState

export const faults: readonly Fault[] = ['cut before', 'cut after', 'answer lost', ...sqlStates]

/** Whether the statement may have had its effect although the driver reports an error. */
export function mayHaveRun(fault: Fault): boolean {
  return fault === 'cut after' || fault === 'answer lost'
}

/** Fails one driver call of the application. */
export interface FaultInjector {
  /** Counts driver calls from now on, and fails the call with this number. Null fails none. */
  arm(call: number, fault: Fault | null): void
  /** The texts of the driver calls since `arm`; empty for a prepared statement. */
  readonly calls: readonly string[]
  /** `armed` until the call is reached, `pending` until the connection is closed. */
  readonly state: 'armed' | 'pending' | 'done'
  /** Runs statements that are neither counted nor failed. */
  query(sql: string): Promise<Record<string, unknown>[]>
}

/** A statement that fails with the SQLSTATE on the server. A failing end of a transaction ends it nevertheless. */
export function failingStatement(state: SqlState, text: string): string {
  const raise = `do $$ begin raise exception 'injected fault' using errcode = '${state}'; end $$`
  return isEnd(text) ? `rollback; ${raise}` : raise
}

function isEnd(text: string): boolean {
  return /^(commit|rollback)$/i.test(text)
}
