import type { JWTPayload } from 'jose'
import type Koa from 'koa'
import type { App, Plugin, Principal } from '#kernel/plugin'
import { readToken } from './credentials.ts'
import { describeBearer } from './describe.ts'
import { environment, type JwtVariables } from './environment.ts'
import { jwtVerifier, principalOfClaims } from './jwt.ts'
import { developmentVerifier, type Verifier } from './verifier.ts'

export interface BearerAuthOptions {
  /** The roles of each token that is taken while the environment names no key; never in production. */
  readonly developmentTokens?: Readonly<Record<string, readonly string[]>>
  /** Who the claims of a verified token speak of; left out, `sub` identifies and `roles` are the roles. */
  readonly principalOf?: (claims: JWTPayload) => Principal
}

/** `Authorization: Bearer …` says who asks, on every server. Without the header the request is anonymous. */
export function bearerAuth(options: BearerAuthOptions = {}): Plugin {
  const verifiers = new WeakMap<App, Verifier>()
  return {
    name: 'bearer-auth',
    environment,

    setup(app) {
      verifiers.set(app, createVerifier(app, options))
    },

    onRoute({ app, ctx }) {
      const token = readToken(ctx)
      if (token === null) return undefined
      const principal = verifiers.get(app)?.(token)
      if (principal instanceof Promise) return introduce(ctx, principal)
      ctx.state.principal = principal
      return undefined
    },

    /** An answer that is declared public is the same for everybody. */
    onResponse({ ctx }) {
      if (!/\bpublic\b/.test(ctx.response.get('Cache-Control'))) ctx.vary('Authorization')
    },

    describe: describeBearer,
  }
}

async function introduce({ state }: Koa.Context, principal: Promise<Principal>): Promise<void> {
  state.principal = await principal
}

function createVerifier(
  { config, logger }: App,
  { developmentTokens = {}, principalOf = principalOfClaims }: BearerAuthOptions,
): Verifier {
  const variables = config.variables as unknown as JwtVariables
  const hasKey = variables.JWT_JWKS_URL !== undefined || variables.JWT_SECRET !== undefined
  return hasKey ? jwtVerifier(variables, principalOf, logger) : developmentVerifier(developmentTokens)
}
