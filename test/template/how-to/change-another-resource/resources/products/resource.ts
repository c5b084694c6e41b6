import { defineResource } from '#kernel'
import { Product } from './entity.ts'
import { ProductPolicy } from './policy.ts'

export default defineResource(Product, {
  type: 'products',
  fields: ({ id, string, integer }) => [
    id(),
    string('name').required().maxLength(100),
    integer('stock').required().min(0).max(1_000_000),
  ],
  policy: ProductPolicy,
})
