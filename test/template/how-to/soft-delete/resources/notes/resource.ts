import { defineResource } from '#kernel'
import { Note } from './entity.ts'
import { NotePolicy } from './policy.ts'

export default defineResource(Note, {
  type: 'notes',
  fields: ({ id, string }) => [id(), string('title').required().maxLength(200)],
  softDeletes: true,
  policy: NotePolicy,
})
