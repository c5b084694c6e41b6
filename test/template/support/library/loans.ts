import { defineEntity, p } from '@mikro-orm/core'
import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { Book } from './entities.ts'
import { libraryResources } from './resources.ts'

// A to-one relation to rows that an entity filter may hide.

const loanSchema = defineEntity({
  name: 'Loan',
  tableName: 'loans',
  properties: {
    id: p.integer().primary(),
    reader: p.text(),
    removedAt: p.datetime(3).nullable(),
    book: () => p.manyToOne(Book).ref().nullable().index(),
  },
})
export class Loan extends loanSchema.class {}
loanSchema.setClass(Loan)

const loans = defineResource(Loan, {
  type: 'loans',
  fields: ({ id, string, belongsTo }) => [id(), string('reader').required(), belongsTo('book', 'books')],
})

export const lendingResources: readonly DeclaredResource[] = [
  ...libraryResources,
  { file: 'test/template/support/library/loans.ts', resource: loans },
]
