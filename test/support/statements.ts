import { observeStatements, type Statement } from '#store'

let counting = 0

/** Whether a test counts statements. */
export function countsStatements(): boolean {
  return counting > 0
}

/** Returns the statements that reached the database driver while the function ran, without transaction statements. */
export async function statementsOf(run: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = []
  const stop = observeStatements((statement) => statements.push(statement))
  counting++
  try {
    await run()
  } finally {
    counting--
    stop()
  }
  return statements.filter(({ sql }) => !/^(begin|commit|rollback|start transaction)/i.test(sql))
}

/** Returns the columns in the list of a SELECT; a subselect counts as its correlated column. */
export function selectedColumns(sql = ''): string[] {
  const list = sql.slice('select '.length, sql.indexOf(' from "'))
  return [...list.matchAll(/\bt\d+\."(\w+)"/g)].map(([, column]) => column as string)
}
