import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { cursor } from '#plugins/pagination/index.ts'
import { User } from './entity.ts'
import { hashPassword } from './password.ts'

export default defineResource(User, {
  type: 'users',
  exampleId: '1',
  server: 'admin',
  fields: ({ id, string, email, date, ip, arrayHash, hasMany, hasOne }) => [
    id(),
    email('email').required().strict().uniqueEntity(['email']),
    string('displayName').required().maxLength(120).example('Grace'),
    date('birthDate').nullable(),
    arrayHash('preferences').minProperties(0).maxProperties(20).sortKeys(),
    ip('lastSeenIp').nullable(),
    string('password')
      .computed()
      .writeOnly()
      .requiredOnCreate()
      .minLength(8)
      .maxLength(200)
      .fillUsing(async (user, password) => {
        user.passwordHash = await hashPassword(password as string)
      }),
    string('passwordConfirm')
      .computed()
      .writeOnly()
      .maxLength(200)
      .atLeastOneOf(
        (confirmation) => confirmation.minLength(8),
        (confirmation) => confirmation.pattern(/\d/),
      )
      .when(
        (value) => value !== '',
        (confirmation) => confirmation.minLength(8),
      )
      .compareWith('password', 'EqualTo'),
    hasMany('playlists', 'playlists'),
    hasOne('library', 'libraries'),
  ],
  pagination: () => cursor(),
  allowedIncludePaths: ['playlists', 'playlists.owner', 'library'],
  // Open, because only the admin server serves users, whose middleware requires a role if ADMIN_REQUIRES_ROLE is true: in a
  // real application, add a policy that decides who reads and changes users.
  policy: open,
})
