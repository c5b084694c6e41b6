import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Label } from './entity.ts'

export default defineResource(Label, {
  type: 'labels',
  fields: ({ id, string }) => [id(), string('name').required().maxLength(40).filterable()],
  policy: open,
})
