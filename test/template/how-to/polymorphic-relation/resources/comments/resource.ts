import { all, compare, defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Comment } from './entity.ts'

export default defineResource(Comment, {
  type: 'comments',
  fields: ({ id, string, morphTo }) => [
    id(),
    string('text').required().maxLength(5000),
    morphTo('subject', ['posts', 'photos']).required(),
  ],
  filters: ({ custom }) =>
    (['posts', 'photos'] as const).map((type) =>
      custom(type)
        .integer()
        .condition((id) => all(compare('subjectType', '=', type), compare('subjectId', '=', Number(id))))
        .describedAs(`Comments on one of the ${type}, by id.`),
    ),
  policy: open,
})
