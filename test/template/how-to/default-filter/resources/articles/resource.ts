import { defineResource } from '#kernel'
import { Article } from './entity.ts'
import { ArticlePolicy } from './policy.ts'

export default defineResource(Article, {
  type: 'articles',
  fields: ({ id, string, dateTime, boolean }) => [
    id(),
    string('title').required().maxLength(200),
    string('author').readOnly(),
    dateTime('publishedAt').nullable(),
    boolean('archived'),
  ],
  filters: ({ boolean }) => [boolean('archived').default(false)],
  beforeCreate: (article, { context: { principal } }) => {
    article.author = principal?.identifier ?? ''
  },
  policy: ArticlePolicy,
})
