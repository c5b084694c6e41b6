import { defineType, memoryProvider } from '#kernel'
import { type Chart, charts } from './charts.ts'

export default defineType<Chart>({
  type: 'charts',
  serializer: {
    attributes: {
      name: ({ name }) => name,
      period: ({ period }) => period,
      entries: ({ entries }) => entries,
    },
  },
  operations: ['FetchCollection', 'FetchOne'],
  provider: memoryProvider(charts),
})
