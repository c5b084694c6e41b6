import { runTests } from './support/mocha.ts'
import { withPostgres } from './support/postgres.ts'

/** Runs the test suite on a PostgreSQL server and fails if the server logged a syntax error. */
const complaints: string[] = []
process.exitCode = await withPostgres(
  (databaseUrl) => runTests({ DATABASE_URL: databaseUrl }),
  (line) => {
    if (/syntax error/.test(line)) complaints.push(line)
  },
)
for (const complaint of complaints) {
  console.error(`PostgreSQL logged: ${complaint}`)
  process.exitCode = 1
}
