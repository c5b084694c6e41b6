import { once } from 'node:events'
import { readArguments } from '../support/arguments.ts'
import { formatTable } from '../support/table.ts'
import { type Cluster, startCluster } from './cluster/cluster.ts'
import { findPrograms } from './cluster/programs.ts'

const usage = `npm run template -- cluster [NAME=value …]

Starts HAProxy, two processes of the application, PgBouncer, PostgreSQL and a standby, until Ctrl-C. The variables are
those of the processes of the application.`

const { positionals } = readArguments({ usage, positionals: Number.POSITIVE_INFINITY })
const programs = await findPrograms()
if (typeof programs === 'string') {
  console.error(programs)
  process.exitCode = 1
} else {
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  const cluster = await startCluster(programs, parseEnvironment(positionals))
  console.log(describe(cluster))
  await interrupted
  await cluster.stop()
}

/** `npm run template -- cluster MAX_IN_FLIGHT=50`: variables for the processes of the application. */
function parseEnvironment(args: readonly string[]): Record<string, string> {
  return Object.fromEntries(args.map((arg) => [arg.slice(0, arg.indexOf('=')), arg.slice(arg.indexOf('=') + 1)]))
}

function describe(cluster: Cluster): string {
  const { balancer, hosts, pooler, primary, standby } = cluster
  const roles = [
    [balancer, 'HAProxy: accepts requests'],
    [hosts[0], 'the application'],
    [hosts[1], 'the application, second process'],
    [pooler, 'PgBouncer, in transaction mode'],
    [primary, 'PostgreSQL: reads and writes'],
    [standby, 'PostgreSQL: reads'],
  ] as const
  const rows = roles.map(([part, role]) => [
    part.name,
    `127.0.0.1:${part.port}`,
    String(part.pid),
    role,
    cluster.logOf(part),
  ])
  const table = formatTable([['PART', 'ADDRESS', 'PID', 'ROLE', 'LOG'], ...rows])
  return `${table}\n\nRequests go to ${cluster.url}. Kill a process to test a failure; Ctrl-C stops the cluster.`
}
