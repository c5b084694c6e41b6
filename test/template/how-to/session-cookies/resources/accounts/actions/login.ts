import { defineError } from '#kernel'
import { type ActionContext, defineAction, meta } from '#plugins/actions/index.ts'
import { openSession } from '../../../plugins/sessions/index.ts'
import { Account } from '../entity.ts'
import { isPassword } from '../password.ts'

/** A document of the type `credentials`. */
interface Credentials {
  readonly email: string
  readonly password: string
}

const loginFailed = defineError('LOGIN_FAILED', 403, 'Login failed', 'The e-mail address or the password is wrong.')

export default defineAction(Account, {
  on: 'collection',
  input: 'document',
  inputType: 'credentials',
  answers: 'meta',
  errors: [loginFailed],
  description: 'Sets the session cookie and returns the CSRF token.',

  async handle({ input: { email, password }, unit, request }: ActionContext<null, Credentials>) {
    const account = await unit.em.findOne(Account, { email })
    const isValid = await isPassword(password, account?.passwordHash)
    if (!account || !isValid || !request) throw loginFailed()
    const csrfToken = await openSession(request.ctx, unit, { identifier: account.email, roles: account.roles })
    return meta({ csrfToken })
  },
})
