import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'

// A search for a common technical term must find the source that implements it.

/** The file or folder that implements a term. */
const terms: Readonly<Record<string, string>> = {
  authentication: 'plugins/bearer-auth/index.ts',
  authorization: 'plugins/authorization/index.ts',
  'back-pressure': 'plugins/load-shedding/index.ts',
  'cache key': 'app/kernel/plan/plan-cache.ts',
  'connection pool': 'app/store/driver/server-pool.ts',
  cors: 'plugins/cors/index.ts',
  cursor: 'plugins/pagination/cursor/paginator.ts',
  deadline: 'app/http/deadline.ts',
  deadlock: 'app/store/write/lock-rows.ts',
  'eager loading': 'plugins/includes/index.ts',
  'error boundary': 'plugins/error-mapping/index.ts',
  etag: 'plugins/conditional-requests/index.ts',
  fallback: 'app/store/connection/types.ts',
  'foreign key': 'app/store/write/relations/relate-foreign-key.ts',
  'graceful shutdown': 'app/http/graceful-shutdown.ts',
  heartbeat: 'app/jobs/pg-boss.ts',
  'job queue': 'app/jobs/queue.ts',
  'join table': 'app/store/write/relations/relate-join-table.ts',
  'json pointer': 'plugins/limits/error-document.ts',
  keyset: 'app/store/sql/select.ts',
  liveness: 'plugins/health/index.ts',
  'load shedding': 'plugins/load-shedding/index.ts',
  lru: 'app/kernel/lib/lru-map.ts',
  middleware: 'app/kernel/request/router.ts',
  migration: 'app/store/migrations/migrate.ts',
  'n+1': 'plugins/includes/index.ts',
  'optimistic locking': 'plugins/conditional-requests/index.ts',
  pipelin: 'app/store/driver/pipelined-pool.ts',
  polymorphic: 'app/store/read/polymorphic.ts',
  'prepared statement': 'app/store/driver/prepared-query.ts',
  'rate limit': 'plugins/rate-limit/index.ts',
  'read-your-writes': 'app/replicas/read-your-writes.ts',
  readiness: 'plugins/health/readiness.ts',
  retr: 'app/store/transaction/run-read.ts',
  'row-level security': 'plugins/authorization/index.ts',
  'sparse fieldset': 'plugins/sparse-fieldsets/index.ts',
  'time-out': 'app/store/driver/server-client.ts',
  'unit of work': 'app/store/write/entity-writer.ts',
}

describe('A search in app and plugins', () => {
  for (const [term, path] of Object.entries(terms)) {
    const [folder = '', name = ''] = path.split('/')
    if (folder === 'plugins' && !existsSync(join(root, folder, name))) continue
    it(`finds ${path} by the term '${term}'`, () => {
      expect(textIn(path).includes(term)).to.equal(true)
    })
  }
})

/** Returns the sources of a file or folder in lower case. */
function textIn(path: string): string {
  const isFolder = statSync(join(root, path)).isDirectory()
  const files = isFolder ? globSync(join(path, '**/*.ts'), { cwd: root }) : [path]
  return files.map((file) => readFileSync(join(root, file), 'utf8').toLowerCase()).join('\n')
}
