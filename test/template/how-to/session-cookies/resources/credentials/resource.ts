import { defineType } from '#kernel'
import { open } from '#plugins/authorization/index.ts'

/** The input of the action `login` of accounts. */
interface Credentials {
  readonly id: string
  readonly email: string
  readonly password: string
}

export default defineType<Credentials>({
  type: 'credentials',
  emitsSelfLink: false,
  fields: ({ id, string }) => [
    id(),
    string('email').required().maxLength(254),
    string('password').required().maxLength(200),
  ],
  policy: open,
})
