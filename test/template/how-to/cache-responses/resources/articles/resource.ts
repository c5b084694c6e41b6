import { defineResource } from '#kernel'
import { Article } from './entity.ts'
import { ArticlePolicy } from './policy.ts'

export default defineResource(Article, {
  type: 'articles',
  fields: ({ id, string }) => [id(), string('title').required().maxLength(200)],
  policy: ArticlePolicy,
  abilities: { list: false, read: false },
  cacheHeaders: { public: true, max_age: 60, s_maxage: 600 },
})
