import { runTests } from './support/mocha.ts'
import { withPostgres } from './support/postgres.ts'

/** Runs the test suite on a PostgreSQL server. Whatever a client sends, no statement of ours has wrong syntax. */
const complaints: string[] = []
process.exitCode = await withPostgres(
  (databaseUrl) => runTests({ DATABASE_URL: databaseUrl }),
  (line) => {
    if (/syntax error/.test(line)) complaints.push(line)
  },
)
for (const complaint of complaints) {
  console.error(`The server says: ${complaint}`)
  process.exitCode = 1
}
