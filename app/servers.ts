import { requireRole, type ServerOptions } from '#kernel/plugin'
import type { Config } from './config.ts'

/** The named servers of this process. A resource says in `server` on which of them it is offered. */
export function servers(config: Config): Readonly<Record<string, ServerOptions>> {
  return {
    default: { baseUri: config.baseUri, maxIncludeDepth: 3 },
    admin: {
      prefix: '/admin',
      baseUri: config.adminBaseUri || (config.baseUri && `${config.baseUri}/admin`),
      maxIncludeDepth: 3,
      middleware: config.adminRequiresRole ? [requireRole('admin')] : [],
    },
  }
}
