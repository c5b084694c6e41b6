import helmet from 'koa-helmet'
import type { Plugin } from '#kernel'

type HelmetOptions = NonNullable<Parameters<typeof helmet>[0]>

/** What browsers may do with an answer: nothing comes from elsewhere, and nobody puts it into a frame. */
const careful: HelmetOptions = {
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
  // Of no use to an API, or to any browser of today.
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
}

/** Headers that make browsers careful with what they get from here. */
export function securityHeaders(options: HelmetOptions = careful): Plugin {
  return { name: 'security-headers', middleware: () => helmet(options) }
}
