import type Koa from 'koa'
import helmet from 'koa-helmet'
import { type ConstantHeader, constantHeader, type Plugin, setConstant } from '#kernel/plugin'

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
  return {
    name: 'security-headers',

    middleware() {
      const headers = constantHeaders(options)
      if (!headers) return helmet(options)
      return (ctx, next) => {
        for (const header of headers) setConstant(ctx.res, header)
        return next()
      }
    },
  }
}

/** What helmet sets is the same for every request, unless a directive is a function of it. */
function constantHeaders(options: HelmetOptions): readonly ConstantHeader[] | null {
  const { contentSecurityPolicy: policy } = options
  const directives = typeof policy === 'object' ? Object.values(policy.directives ?? {}) : []
  if (directives.flat().some((directive) => typeof directive === 'function')) return null
  const headers: ConstantHeader[] = []
  const res = {
    setHeader: (name: string, value: string) => headers.push(constantHeader(name, value)),
    removeHeader() {},
  }
  helmet(options)({ req: {}, res } as unknown as Koa.Context, async () => {})
  return headers
}
