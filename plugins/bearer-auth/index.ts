import type { JWTPayload } from 'jose'
import { type App, addVary, type Plugin, type Principal, type Reply } from '#kernel/plugin'
import { invalidToken, readToken } from './credentials.ts'
import { describeBearer } from './describe.ts'
import { environment, type JwtVariables } from './environment.ts'
import { jwtVerifier, principalFromClaims } from './jwt.ts'
import { developmentVerifier, tokenHints, type Verifier } from './verifier.ts'

declare module '#kernel/plugin' {
  interface App {
    /** Kinds of tokens beside JWTs and development tokens. */
    tokenKinds?: TokenKind[]
    /** Verifies a JWT or a development token. */
    verifyToken?: Verifier
  }
}

export { invalidToken } from './credentials.ts'

/** Tokens of another kind, which begin with the prefix. */
export interface TokenKind {
  readonly prefix: string
  /** The beginning of the identifiers of its principals, which tokens of other kinds cannot have. */
  readonly namespace?: string
  readonly verify: Verifier
}

/** Accepts tokens of another kind beside JWTs and development tokens. Called in `setup` of a plugin that requires this one. */
export function acceptTokens(app: App, kind: TokenKind): void {
  app.tokenKinds ??= []
  app.tokenKinds.push(kind)
}

export interface BearerAuthOptions {
  /** Roles by token, accepted while the environment sets no key. Never accepted in production. */
  readonly developmentTokens?: Readonly<Record<string, readonly string[]>>
  /** Returns the principal of a verified token. By default `sub` is the identifier and `roles` are the roles. */
  readonly principalOf?: (claims: JWTPayload) => Principal
}

/** Authentication by `Authorization: Bearer …` on every server. A request without the header is anonymous. */
export function bearerAuth(options: BearerAuthOptions = {}): Plugin {
  return {
    name: 'bearer-auth',
    environment,

    setup(app) {
      app.verifyToken = createVerifier(app, options)
      if (acceptsDevelopmentTokens(app)) app.hints.push(...tokenHints(options.developmentTokens))
    },

    onRoute({ app, ctx }) {
      if (ctx.headers.authorization === undefined) return undefined
      const token = readToken(ctx, ctx.headers.authorization)
      const kinds = app.tokenKinds ?? []
      const kind = kinds.find(({ prefix }) => token.startsWith(prefix))
      const principal = (kind?.verify ?? app.verifyToken)?.(token)
      const setPrincipal = (verified: Principal | undefined): void => {
        if (verified) checkNamespace(verified, kind, kinds)
        ctx.state.principal = verified
      }
      return principal instanceof Promise ? principal.then(setPrincipal) : setPrincipal(principal)
    },

    plan: ({ respond }) => void respond.push(varyByToken),

    describe: describeBearer,
  }
}

/** Adds `Vary: Authorization`, except to public responses, which are equal for all requesters. */
function varyByToken({ ctx }: Reply): void {
  if (!/\bpublic\b/.test(ctx.response.get('Cache-Control'))) addVary(ctx, 'Authorization')
}

/** Throws 401 for an identifier of another kind of tokens: the principals would share rows, limits and stored responses. */
function checkNamespace({ identifier }: Principal, kind: TokenKind | undefined, kinds: readonly TokenKind[]): void {
  const isTaken = kinds.some(
    (other) => other !== kind && other.namespace !== undefined && identifier.startsWith(other.namespace),
  )
  if (isTaken) throw invalidToken('The subject of the token is reserved for tokens of another kind.')
}

function createVerifier(
  app: App,
  { developmentTokens = {}, principalOf = principalFromClaims }: BearerAuthOptions,
): Verifier {
  return acceptsDevelopmentTokens(app)
    ? developmentVerifier(developmentTokens)
    : jwtVerifier(readVariables(app), principalOf, app.logger)
}

/** Whether the environment sets no key. It must set one in production. */
function acceptsDevelopmentTokens(app: App): boolean {
  const { JWT_JWKS_URL, JWT_SECRET } = readVariables(app)
  return JWT_JWKS_URL === undefined && JWT_SECRET === undefined
}

function readVariables({ config }: App): JwtVariables {
  return config.variables as unknown as JwtVariables
}
