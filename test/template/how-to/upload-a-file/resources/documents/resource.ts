import { defineResource } from '#kernel'
import { Document } from './entity.ts'
import { DocumentPolicy } from './policy.ts'

export default defineResource(Document, {
  type: 'documents',
  fields: ({ id, string, integer }) => [
    id(),
    string('name').required().maxLength(200).pattern('[\\w .-]+'),
    string('mediaType').readOnly(),
    integer('size').readOnly(),
  ],
  download: { content: 'content', mediaType: 'mediaType', name: 'name' },
  policy: DocumentPolicy,
})
