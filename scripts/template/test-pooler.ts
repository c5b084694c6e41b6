import { printHelp } from '../support/arguments.ts'
import { runTests } from '../support/mocha.ts'
import { withTestPostgres } from '../support/postgres.ts'
import { findProgram } from './cluster/programs.ts'
import { withPooler } from './pooler.ts'

printHelp(`npm run template -- pooler [options and files of mocha]

Runs the test suite on a PostgreSQL server behind PgBouncer in transaction mode.`)

const pgbouncer = findProgram('pgbouncer')
if (pgbouncer) process.exitCode = await withTestPostgres(behindPooler(pgbouncer))
else console.log('The tests behind a pooler need PgBouncer: apt-get install pgbouncer.')

function behindPooler(program: string) {
  return (databaseUrl: string): Promise<number> =>
    withPooler(program, databaseUrl, (pooledUrl) =>
      runTests({ DATABASE_URL: pooledUrl, DATABASE_POOLER: 'transaction' }),
    )
}
