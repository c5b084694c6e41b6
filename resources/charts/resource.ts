import { defineType } from '#kernel'
import { memoryProvider } from '#memory'
import { open } from '#plugins/authorization/index.ts'
import { type Chart, charts } from './rows.ts'

export default defineType<Chart>()({
  type: 'charts',
  exampleId: '1',
  serializer: {
    attributes: {
      name: ({ name }) => name,
      period: ({ period }) => period,
      entries: ({ entries }) => entries,
    },
  },
  schemas: {
    name: { type: 'string' },
    period: { type: 'string' },
    entries: {
      type: 'array',
      items: {
        type: 'object',
        required: ['rank', 'trackId', 'plays'],
        properties: { rank: { type: 'integer' }, trackId: { type: 'string' }, plays: { type: 'integer' } },
      },
    },
  },
  operations: ['FetchCollection', 'FetchOne'],
  provider: memoryProvider(charts),
  policy: open,
})
