import { defineResource, native } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Article } from './entity.ts'

export default defineResource(Article, {
  type: 'articles',
  fields: ({ id, string }) => [id(), string('title').required().maxLength(200), string('body').required()],
  filters: ({ custom }) => [
    custom('search')
      .pattern(/\s*\S.{0,199}/s)
      .condition((value) => native<Article>({ document: { $fulltext: String(value) } }))
      .describedAs('Articles that contain all words, in any inflected form.'),
  ],
  policy: open,
})
