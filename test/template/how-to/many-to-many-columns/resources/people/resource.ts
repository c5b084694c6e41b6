import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Person } from './entity.ts'

export default defineResource(Person, {
  type: 'people',
  fields: ({ id, string }) => [id(), string('name').required().maxLength(100)],
  policy: open,
})
