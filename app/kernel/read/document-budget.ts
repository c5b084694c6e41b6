import type { DocumentLimits } from '../contract/operation-context.ts'
import type { Context } from '../data/context.ts'
import type { Query, RelationLoad } from '../data/query.ts'
import { writeDocument } from '../lib/json-text.ts'

/** Subtracts resources that were added to the document. Throws if they do not fit. */
export function takeResources(count: number, query: Query, context: Context, load?: RelationLoad): void {
  const { budget } = context
  budget.resources -= count
  if (budget.resources < 0) throw budget.toError({ counted: 'resources', query, context, load })
}

/** Subtracts identifiers that were added to linkage. Throws if they do not fit. */
export function takeIdentifiers(count: number, query: Query, context: Context, load?: RelationLoad): void {
  const { budget } = context
  budget.identifiers -= count
  if (budget.identifiers < 0) throw budget.toError({ counted: 'identifiers', query, context, load })
}

/** Documents of any size. */
export const unlimitedDocuments: DocumentLimits = {
  maxLinkage: Number.POSITIVE_INFINITY,
  maxPageSize: () => Number.POSITIVE_INFINITY,
  writeErrors: (document, errors) => writeDocument({ ...document, errors }),
  createBudget: () => ({
    resources: Number.POSITIVE_INFINITY,
    identifiers: Number.POSITIVE_INFINITY,
    characters: Number.POSITIVE_INFINITY,
    rowLimit: () => null,
    toError: unexpected,
    shortenResource: unexpected,
    shortenLinkage: unexpected,
  }),
}

function unexpected(): never {
  throw new Error('A document without limits has room for everything.')
}
