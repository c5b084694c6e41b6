import type { AppConfig, DataResponse, DocumentLimits, Excess, IdentifierResponse, Member } from '#kernel/plugin'
import { shortenLinkage, shortenResource } from './document-size.ts'
import { type Limits, toDocumentTooLarge } from './document-too-large.ts'
import { writeErrorDocument } from './error-document.ts'
import { rowLimit } from './row-limit.ts'

/** A page has at most as many entries as a document: identifiers for linkage, otherwise resources. */
export function createDocumentLimits({ limits: { errors }, variables }: AppConfig): DocumentLimits {
  const limit = (name: string) => Number(variables[name] ?? 0) || Number.POSITIVE_INFINITY
  const limits: Limits = {
    resources: limit('MAX_DOCUMENT_RESOURCES'),
    identifiers: limit('MAX_DOCUMENT_IDENTIFIERS'),
  }
  const characters = limit('MAX_DOCUMENT_CHARACTERS')
  const budget = {
    rowLimit,
    toError: (excess: Excess) => toDocumentTooLarge(excess, limits),
    shortenResource: (member: Member, response: DataResponse) => shortenResource(member, response, characters),
    shortenLinkage: (response: IdentifierResponse) => shortenLinkage(response, characters),
  }
  const ofErrors = { errors, bytes: Number(variables.MAX_ERROR_BYTES ?? 0) }
  return {
    maxLinkage: characters,
    maxPageSize: ({ kind }) => (kind === 'relationship' ? limits.identifiers : limits.resources),
    writeErrors: (document, list) => writeErrorDocument(document, list, ofErrors),
    createBudget: () => ({ ...limits, characters, ...budget }),
  }
}
