import { defineResource } from '#kernel'
import { Note } from './entity.ts'
import { NotePolicy } from './policy.ts'

export default defineResource(Note, {
  type: 'notes',
  fields: ({ id, string, boolean }) => [
    id(),
    string('title').required().maxLength(200),
    boolean('shared'),
    string('owner').readOnly(),
  ],
  beforeCreate: (note, { context }) => {
    note.owner = context.principal?.identifier ?? ''
  },
  countable: true,
  policy: NotePolicy,
})
