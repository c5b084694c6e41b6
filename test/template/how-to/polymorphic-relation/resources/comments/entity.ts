import { defineEntity, p } from '@mikro-orm/core'
import { Photo } from '../photos/entity.ts'
import { Post } from '../posts/entity.ts'

const schema = defineEntity({
  name: 'Comment',
  tableName: 'comments',
  properties: {
    id: p.integer().primary(),
    text: p.text(),
    subject: () => p.manyToOne([Post, Photo]).ref().index(),
    // The two columns of `subject`, for filters.
    subjectType: p.string().persist(false).fieldName('subject_type').columnType('varchar(255)'),
    subjectId: p.integer().persist(false).fieldName('subject_id').columnType('int'),
  },
})

export class Comment extends schema.class {}

schema.setClass(Comment)
