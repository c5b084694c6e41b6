import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Note } from './entity.ts'

export default defineResource(Note, {
  type: 'notes',
  fields: ({ id, string, dateTime }) => [
    id(),
    string('title').required().maxLength(200),
    dateTime('updatedAt').readOnly(),
  ],
  changedAtProperty: 'updatedAt',
  beforeSave: (note) => {
    note.updatedAt = new Date()
  },
  policy: open,
})
