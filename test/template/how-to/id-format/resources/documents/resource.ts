import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Document } from './entity.ts'

export default defineResource(Document, {
  type: 'documents',
  fields: ({ id, string }) => [id().uuid(7).generated(), string('title').required().maxLength(200)],
  policy: open,
})
