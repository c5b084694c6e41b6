import { defineAction, meta } from '#plugins/actions/index.ts'
import { csrfTokenOf, readToken } from '../../../plugins/sessions/index.ts'
import { Account } from '../entity.ts'

export default defineAction(Account, {
  on: 'collection',
  method: 'GET',
  answers: 'meta',
  description: 'Returns the principal and the CSRF token of the session, for a page that was loaded again.',

  handle({ principal, request }) {
    const token = request && readToken(request.ctx)
    return meta({ identifier: principal?.identifier, csrfToken: token && csrfTokenOf(token) })
  },
})
