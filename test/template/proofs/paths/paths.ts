import type { App } from '#kernel/plugin'
import { defaultLimits } from '#store/connection/orm-options.ts'
import { withTestPostgres } from '../../../../scripts/support/postgres.ts'
import { findProgram } from '../../../../scripts/template/cluster/programs.ts'
import { withPooler } from '../../../../scripts/template/pooler.ts'
import type { PathName } from './path-names.ts'
import { createDatabase, openAppPath, openWorkersPath, type PathService } from './service.ts'
import type { Subject } from './subjects.ts'

/** The path with which all others are compared. */
type Reference = PathService & { readonly app: App }

const databaseLimits = { ...defaultLimits, connections: 3 }

/** Starts the reference and the named paths, each on a database of its own, and closes them afterwards. */
export function withPaths(
  subject: Subject,
  names: readonly PathName[],
  run: (reference: Reference, others: readonly PathService[]) => Promise<void>,
): Promise<void> {
  return withTestPostgres(async (serverUrl) => {
    const pgbouncer = names.includes('pooler') ? findProgram('pgbouncer') : undefined
    if (pgbouncer) await withPooler(pgbouncer, serverUrl, (pooledUrl) => open(serverUrl, pooledUrl))
    else await open(serverUrl, null)
  })

  async function open(serverUrl: string, pooledUrl: string | null): Promise<void> {
    const opened: PathService[] = []
    try {
      const databaseUrl = await createDatabase(serverUrl, 'prove_reference')
      const reference = await openAppPath({ name: 'reference', subject, databaseUrl, databaseLimits })
      opened.push(reference)
      for (const name of names) {
        if (name === 'pooler' && !pooledUrl) console.log('Skips the pooler: PgBouncer is not installed.')
        else opened.push(await openPath(subject, name, serverUrl, pooledUrl))
      }
      await run(reference, opened.slice(1))
    } finally {
      for (const service of opened) await service.close()
    }
  }
}

async function openPath(
  subject: Subject,
  name: PathName,
  serverUrl: string,
  pooledUrl: string | null,
): Promise<PathService> {
  if (name === 'embedded') return openAppPath({ name, subject, databaseUrl: null })
  const databaseUrl = await createDatabase(serverUrl, `prove_${name.replaceAll('-', '_')}`)
  if (name === 'workers') return openWorkersPath(name, databaseUrl)
  return openAppPath({
    name,
    subject,
    databaseUrl: Object.assign(new URL(pooledUrl as string), { pathname: new URL(databaseUrl).pathname }).href,
    databasePooler: 'transaction',
    databaseLimits: { ...databaseLimits, prepared: 0 },
  })
}
