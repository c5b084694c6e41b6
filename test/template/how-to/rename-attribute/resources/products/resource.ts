import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Product } from './entity.ts'

export default defineResource(Product, {
  type: 'products',
  fields: ({ id, string }) => [
    id(),
    string('name').storedAs('title').maxLength(200).sortable().deprecated().describedAs('Use `title`.'),
    string('title').maxLength(200).sortable(),
  ],
  filters: ({ contains }) => [contains('name', 'title').describedAs('Deprecated: use `title`.'), contains('title')],
  policy: open,
})
