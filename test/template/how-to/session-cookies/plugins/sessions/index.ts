import { defineError } from '#kernel/errors'
import { addSteps, addVary, isWrite, type Plugin } from '#kernel/plugin'
import { CreateSessions } from './migration.ts'
import { cookie, findSession, hasCsrfToken, readToken } from './session.ts'

export { closeSession, csrfTokenOf, openSession, readToken } from './session.ts'

export const csrfTokenInvalid = defineError(
  'CSRF_TOKEN_INVALID',
  403,
  'CSRF token invalid',
  'The header X-CSRF-Token must have the token of the session, which the action session returns.',
)

const safeMethods = ['GET', 'HEAD', 'OPTIONS']

/** Authentication by a session cookie. A request without the cookie, or with an expired session, is anonymous. */
export function sessions(): Plugin {
  return {
    name: 'sessions',
    errors: [csrfTokenInvalid.definition],
    migrations: { '20260301000000_sessions': CreateSessions },

    async onRoute({ app, ctx }) {
      const token = ctx.state.principal ? null : readToken(ctx) // not read if bearer-auth has set the principal
      const principal = token && (await findSession(app, token))
      if (!principal) return
      if (!safeMethods.includes(ctx.method) && !hasCsrfToken(ctx, token)) throw csrfTokenInvalid()
      ctx.state.principal = principal
    },

    plan: addSteps({
      respond({ ctx }) {
        if (!/\bpublic\b/.test(ctx.response.get('Cache-Control'))) addVary(ctx, 'Cookie')
      },
    }),

    describe({ operations, head, component }) {
      component('session', () => ({ type: 'apiKey', in: 'cookie', name: cookie }), 'securitySchemes')
      head.security ??= [{ session: [] }]
      for (const operation of operations) {
        if (!operation.kind || isWrite(operation.kind)) operation.addErrors(403, csrfTokenInvalid.definition)
      }
    },
  }
}
