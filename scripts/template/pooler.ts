import { createClusterDirectory } from './cluster/cluster-directory.ts'
import { createLocalPooler } from './cluster/pooler.ts'

/**
 * Runs the work behind PgBouncer with the configuration of the deployment. It has fewer server connections than clients,
 * so that each transaction may use another session.
 */
export async function withPooler<T>(
  pgbouncer: string,
  databaseUrl: string,
  work: (pooledUrl: string) => Promise<T>,
): Promise<T> {
  const directory = createClusterDirectory()
  const { hostname, port, username, password } = new URL(databaseUrl)
  const pooler = await createLocalPooler(pgbouncer, directory, 'SIGTERM', (deployed) =>
    deployed
      .replace('host=primary port=5432', `host=${hostname} port=${port} user=${username} password=${password}`)
      .replace(/^auth_type = .*$/m, 'auth_type = any')
      .replace(/^auth_file = .*$/m, '')
      .replace(/^default_pool_size = .*$/m, 'default_pool_size = 6')
      // Long enough for a busy machine.
      .replace(/^query_wait_timeout = .*$/m, 'query_wait_timeout = 60'),
  )
  await pooler.start()
  try {
    return await work(Object.assign(new URL(databaseUrl), { port: pooler.port }).href)
  } finally {
    await pooler.stop()
    directory.remove()
  }
}
