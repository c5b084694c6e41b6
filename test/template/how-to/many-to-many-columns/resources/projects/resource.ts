import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Membership, Project, roles } from './entity.ts'

export default defineResource(Project, {
  type: 'projects',
  fields: ({ id, string, belongsToMany }) => [
    id(),
    string('title').required().maxLength(200),
    belongsToMany('members', 'people')
      .through(Membership)
      .fields(({ string, integer, dateTime }) => [
        string('role').enum(roles),
        integer('hours').min(0).max(40),
        dateTime('addedAt').readOnly(),
      ])
      .withFilters(({ where }) => [where('role', 'pivot.role')])
      .countable(),
  ],
  policy: open,
})
