import { exactly, type SongsApi } from './api.ts'

// Codes of errors that a resource, its policy and its actions declare, beside those of plugins.

declare const errors: SongsApi['errors']
exactly<409>()(errors.CONFLICT)
exactly<409 | 422>()(errors.SONG_FULL)
exactly<403>()(errors.QUOTA_USED)
exactly<422>()(errors.UPLOAD_BROKEN)
exactly<409>()(errors.NAME_TAKEN)
exactly<'CONFLICT' | 'NOT_FOUND' | 'SONG_FULL' | 'QUOTA_USED' | 'UPLOAD_BROKEN' | 'NAME_TAKEN'>()(
  null as unknown as keyof SongsApi['errors'],
)
