import { requireRole, type ServerOptions } from '#kernel/plugin'
import type { Config } from './config.ts'

/** The servers of the application, by name. A resource type declares in `server` which servers offer it. */
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
