import type { App } from '#kernel/plugin'

declare module '#kernel/plugin' {
  interface App {
    /** The position up to which the log is complete. */
    changeHorizon?: Horizon
  }
}

const maxSamples = 1_000

/**
 * The position up to which the log is complete. A sequence is not in commit order: a transaction may take a number, and
 * commit after one with a greater number was read. Reads a number of the sequence, then a new transaction id: when all
 * transactions with smaller ids have ended, no row up to the number can appear any more.
 */
export class Horizon {
  readonly #app: Pick<App, 'store'>
  /** Numbers that were taken, and the id of a transaction that began later, in ascending order. */
  #samples: { readonly sequence: bigint; readonly xid: bigint }[] = []
  #complete = 0n

  constructor(app: Pick<App, 'store'>) {
    this.#app = app
  }

  /** Returns the position up to which all changes are visible. May return an older one while transactions run. */
  async advance(): Promise<bigint> {
    const { store } = this.#app
    const [taken] = await store.query(lastNumber)
    const sequence = BigInt(taken?.last as string)
    const isNew = sequence > (this.#samples.at(-1)?.sequence ?? this.#complete)
    if (!isNew && this.#samples.length === 0) return this.#complete
    const [state] = await store.query(isNew ? newTransaction : runningTransactions)
    if (isNew) this.#samples.push({ sequence, xid: BigInt(state?.xid as string) })
    const xmin = BigInt(state?.xmin as string)
    const open = this.#samples.findIndex(({ xid }) => xid > xmin)
    const complete = this.#samples.splice(0, open === -1 ? this.#samples.length : open).at(-1)
    if (complete && complete.sequence > this.#complete) this.#complete = complete.sequence
    // A transaction that runs for hours keeps all samples: a missing one only delays the position.
    if (this.#samples.length > maxSamples) this.#samples = this.#samples.filter((_, index) => index % 2 === 1)
    return this.#complete
  }
}

const lastNumber = 'select (case when is_called then last_value else 0 end)::text as last from change_log_sequence_seq'
const runningTransactions = 'select pg_snapshot_xmin(pg_current_snapshot())::text as xmin'
/** Takes a transaction id, because `xmax` of a snapshot may be below the ids of running transactions. */
const newTransaction = `${runningTransactions}, pg_current_xact_id()::text as xid`

/** The position up to which the log is complete, for all consumers of the process. */
export function horizonOf(app: App): Horizon {
  app.changeHorizon ??= new Horizon(app)
  return app.changeHorizon
}
