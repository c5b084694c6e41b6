import { Query, type Submittable } from 'pg'
import type { DataRow, PreparedQuery, ResultLimit } from './prepared-query.ts'

/** The query of pg, with the callback for rows that its types do not show. */
const PgQuery = Query as unknown as new (
  text: string,
  values: readonly unknown[],
  callback: PreparedQuery['callback'],
) => Submittable & { handleDataRow(row: DataRow): void }

/** One execution of a statement that is not prepared. */
export class UnpreparedQuery extends PgQuery {
  readonly #limit: ResultLimit

  constructor(text: string, values: readonly unknown[], limit: ResultLimit, callback: PreparedQuery['callback']) {
    super(text, values, callback)
    this.#limit = limit
  }

  override handleDataRow(row: DataRow): void {
    this.#limit.received += row.length
    if (this.#limit.received > this.#limit.max) this.#limit.exceed()
    super.handleDataRow(row)
  }
}
