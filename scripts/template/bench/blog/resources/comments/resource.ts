import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { cursor } from '#plugins/pagination/index.ts'
import { Comment } from './entity.ts'

export default defineResource(Comment, {
  type: 'comments',
  fields: ({ id, string, dateTime, belongsTo }) => [
    id(),
    string('body').required().maxLength(2000),
    dateTime('createdAt').required(),
    belongsTo('article', 'articles').required(),
    belongsTo('author', 'people').required(),
  ],
  pagination: () => cursor(),
  policy: open,
})
