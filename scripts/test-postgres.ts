import { printHelp } from './support/arguments.ts'
import { runTests } from './support/mocha.ts'
import { withTestPostgres } from './support/postgres.ts'

printHelp(`npm run test:postgres -- [options and files of mocha]

Runs the test suite on a PostgreSQL server and fails if the server logged a syntax error.`)

const syntaxErrors: string[] = []
process.exitCode = await withTestPostgres(
  (databaseUrl) => runTests({ DATABASE_URL: databaseUrl }),
  (line) => {
    if (/syntax error/.test(line)) syntaxErrors.push(line)
  },
  ['shared_preload_libraries=pg_stat_statements'],
)
for (const line of syntaxErrors) {
  console.error(`PostgreSQL logged: ${line}`)
  process.exitCode = 1
}
