import { defineResource } from '#kernel/plugin'
import { ApiKey } from './entity.ts'
import { ApiKeyPolicy } from './policy.ts'

export default defineResource(ApiKey, {
  type: 'api-keys',
  server: 'admin',
  issuesApiKeys: true,
  fields: ({ id, string, arrayList, dateTime }) => [
    id().uuid(7).generated(),
    string('name').required().maxLength(120),
    string('start').readOnly(),
    arrayList('scopes').required(),
    dateTime('createdAt').readOnly().sortable(),
    dateTime('expiresAt').nullable(),
    dateTime('lastUsedAt').readOnly().nullable(),
  ],
  policy: ApiKeyPolicy,
})
