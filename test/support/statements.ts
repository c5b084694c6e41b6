import { observeStatements, type Statement } from '#store'

/** What reached the database driver while `work` ran, without the borders of transactions. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = []
  const stop = observeStatements((statement) => statements.push(statement))
  try {
    await work()
  } finally {
    stop()
  }
  return statements.filter(({ sql }) => !/^(begin|commit|rollback|start transaction)/i.test(sql))
}

/** The columns in the list of a SELECT, subselects reduced to the column that ties them to the row. */
export function columnsOf(sql = ''): string[] {
  const list = sql.slice('select '.length, sql.indexOf(' from "'))
  return [...list.matchAll(/\bt\d+\."(\w+)"/g)].map(([, column]) => column as string)
}
