import { Query, type Submittable } from 'pg'
import type { DataRow, PreparedQuery } from './prepared-query.ts'

/** The query of pg, with the callback for rows that its types do not show. */
const PgQuery = Query as unknown as new (
  text: string,
  values: readonly unknown[],
  callback: PreparedQuery['callback'],
) => Submittable & { handleDataRow(row: DataRow): void }

/** One execution of a statement that is not prepared. */
export class UnpreparedQuery extends PgQuery {
  readonly #onRow: (row: DataRow) => void

  constructor(
    text: string,
    values: readonly unknown[],
    onRow: (row: DataRow) => void,
    callback: PreparedQuery['callback'],
  ) {
    super(text, values, callback)
    this.#onRow = onRow
  }

  override handleDataRow(row: DataRow): void {
    this.#onRow(row)
    super.handleDataRow(row)
  }
}
