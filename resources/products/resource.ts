import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { productCodec } from './codec.ts'
import { Product } from './entity.ts'

export default defineResource(Product, {
  type: 'products',
  exampleId: 'prod-1',
  fields: ({ id, string, belongsTo }) => [
    id().encodeUsing(productCodec).matchAs('prod-[0-9a-f]+'),
    string('name').required().maxLength(200).example('Tour shirt'),
    belongsTo('parent', 'products'),
  ],
  policy: open,
})
