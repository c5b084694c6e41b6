import type { RequestLimits } from './limits.ts'

/** What one document may still hold. Infinity if a limit is off. The operations of a batch share one budget. */
export class DocumentBudget {
  /** Distinct resources that may still be added. */
  resources: number
  /** Resource identifiers that may still be added. */
  identifiers: number

  constructor({ documentResources, documentIdentifiers }: RequestLimits) {
    this.resources = documentResources || Number.POSITIVE_INFINITY
    this.identifiers = documentIdentifiers || Number.POSITIVE_INFINITY
  }
}
