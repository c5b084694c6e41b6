import { defineError } from '#kernel/errors'

export const resourceNotTrashed = defineError(
  'RESOURCE_NOT_TRASHED',
  409,
  'Resource is not trashed',
  "The resource '{id}' of the type '{type}' is not deleted, so that it cannot be restored.",
  {
    when: 'The action `restore` of a resource that is not soft-deleted, or that another request has restored.',
    example: { type: 'playlists', id: '00000000-0000-4000-8000-000000000001' },
  },
)

export const restoreConflict = defineError(
  'RESTORE_CONFLICT',
  409,
  'Unique value is taken',
  "The resource '{id}' of the type '{type}' cannot be restored: another resource has one of its unique values. Change or delete that resource first.",
  {
    when: 'The action `restore` of a resource whose unique value another resource has taken after the deletion.',
    example: { type: 'playlists', id: '00000000-0000-4000-8000-000000000001' },
  },
)
