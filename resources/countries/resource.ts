import { defineType } from '#kernel'
import { memoryProvider } from '#memory'
import { open } from '#plugins/authorization/index.ts'
import { page } from '#plugins/pagination/index.ts'
import { type Country, countries } from './countries.ts'

export default defineType<Country>()({
  type: 'countries',
  exampleId: 'GB',
  id: ({ id }) => id().encodeUsing({ encode: String, decode: (wire) => wire.toUpperCase() }),
  serializer: { attributes: { name: ({ name }) => name } },
  schemas: { name: { type: 'string' } },
  operations: ['FetchCollection', 'FetchOne'],
  provider: memoryProvider(countries),
  filters: ({ contains }) => [contains('name')],
  sorts: { name: 'name' },
  pagination: () => page({ size: 25 }),
  policy: open,
})
