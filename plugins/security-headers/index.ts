import helmet from 'helmet'
import type { Plugin } from '#kernel/plugin'

type HelmetOptions = NonNullable<Parameters<typeof helmet>[0]>

/** Browsers load nothing from other origins, and show no response inside a frame. */
const defaults: HelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': ["'self'"],
      'style-src': ["'self'", "'unsafe-inline'"],
      'img-src': ["'self'", 'data:'],
      'object-src': ["'none'"],
      'base-uri': ["'none'"],
      'form-action': ["'none'"],
      'frame-ancestors': ["'none'"],
    },
  },
  // Without effect on an API or in current browsers.
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
}

/** Sets security headers on every response. */
export function securityHeaders(options: HelmetOptions = defaults): Plugin {
  const setHeaders = helmet(options)
  return {
    name: 'security-headers',
    middleware:
      () =>
      ({ req, res }, next) => {
        setHeaders(req, res, rethrow)
        return next()
      },
  }
}

/** helmet calls it with the error of a function in its options. */
function rethrow(error?: unknown): void {
  if (error) throw error
}
