import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { page } from '#plugins/pagination/index.ts'
import { Article } from './entity.ts'

export default defineResource(Article, {
  type: 'articles',
  fields: ({ id, string, integer, dateTime, belongsTo, hasMany, belongsToMany }) => [
    id(),
    string('title').required().maxLength(200).sortable(),
    string('body').required().maxLength(10_000),
    integer('views').min(0),
    dateTime('publishedAt').required().sortable(),
    belongsTo('author', 'people').required(),
    hasMany('comments', 'comments').paginate(page()),
    belongsToMany('tags', 'tags'),
  ],
  policy: open,
})
