import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Person } from './entity.ts'

export default defineResource(Person, {
  type: 'people',
  fields: ({ id, string, dateTime }) => [
    id(),
    string('name').required().maxLength(120).sortable(),
    string('email').required().maxLength(200),
    dateTime('createdAt').required(),
  ],
  policy: open,
})
