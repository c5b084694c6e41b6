import { beginStatement } from '#store/observers.ts'
import { toServerError } from './server-error.ts'

/** Runs a statement of the embedded database. Throws its error in the form of a server. */
export async function runObserved<Result>(
  sql: string,
  parameters: readonly unknown[],
  run: () => Promise<Result>,
  rowsOf: (result: Result) => number = () => 0,
): Promise<Result> {
  const end = beginStatement(sql, parameters)
  try {
    const result = await run()
    end?.({ rows: rowsOf(result) })
    return result
  } catch (error) {
    end?.({ rows: 0, error })
    throw toServerError(error, sql)
  }
}
