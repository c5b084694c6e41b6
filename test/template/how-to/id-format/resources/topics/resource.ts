import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Topic } from './entity.ts'

export default defineResource(Topic, {
  type: 'topics',
  fields: ({ id, string }) => [
    id().pattern('[a-z0-9]+(-[a-z0-9]+)*').requireClientId(),
    string('title').required().maxLength(200),
  ],
  policy: open,
})
