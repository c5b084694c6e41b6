import { defineResource } from '#kernel'
import { Report } from './entity.ts'
import { ReportPolicy } from './policy.ts'

export default defineResource(Report, {
  type: 'reports',
  fields: ({ id, string }) => [id(), string('title').required().maxLength(200)],
  policy: ReportPolicy,
})
