import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { printHelp } from '../support/arguments.ts'
import { root } from '../support/root.ts'

printHelp(`npm run template -- plans [options and files of mocha]

Runs the tests of npm test with each GET and HEAD sent with plans that are cold, admitted, warm, off and shared. Fails if the
responses differ. With DATABASE_URL, on a PostgreSQL server.`)

/** Tests that count requests in a state of their file: other tests that count are run again, with each read sent once. */
const ignored = ['plugins/{load-shedding,metrics,rate-limit,request-log,slow-requests,tracing}/**']

const mocha = join(root, 'node_modules/mocha/bin/mocha.js')
const options = ['--retries', '1', ...ignored.flatMap((pattern) => ['--ignore', pattern])]
const env = { ...process.env, COMPARE_PLANS: 'true' }
const { status } = spawnSync(process.execPath, [mocha, ...options, ...process.argv.slice(2)], { stdio: 'inherit', env })
process.exitCode = status ?? 1
