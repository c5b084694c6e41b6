import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Note } from './entity.ts'

export default defineResource(Note, {
  type: 'notes',
  fields: ({ id, string, boolean, belongsTo }) => [
    id(),
    string('title').required().maxLength(200),
    boolean('pinned'),
    belongsTo('author', 'authors').required(),
  ],
  policy: open,
})
