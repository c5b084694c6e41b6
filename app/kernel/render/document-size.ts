import { documentTooLarge } from '../errors/core-errors.ts'
import { type ApiError, type ErrorSource, type Phrase, phrase } from '../errors/errors.ts'
import type { Member } from '../model/graph.ts'
import { isWrite, type Operation } from '../model/operation.ts'
import { type DataResponse, type IdentifierResponse, membersOf } from '../model/response.ts'
import { bareIdentifier } from './identifiers.ts'

/** Returns the text of a resource that does not fit into the document. A write may be committed, and is not refused. */
export function shortenResource(member: Member, response: DataResponse): string {
  if (isWrite(response.operation.kind)) return bareIdentifier(member)
  throw tooManyCharacters(response.operation, ...describeResource(member, response))
}

/** Returns the linkage of a relationship document, or the linkage to show instead if it does not fit. */
export function checkLinkage(text: string, { operation, relation, edge }: IdentifierResponse): string {
  const { documentCharacters } = operation.context.app.config.limits
  if (documentCharacters === 0 || text.length <= documentCharacters || !relation.toMany) return text
  if (isWrite(operation.kind)) return `[${edge.members.map(bareIdentifier).join()}]`
  const part = phrase("the relationship '{path}'", { path: relation.name })
  if (relation.pivotFields.length > 0) throw tooManyCharacters(operation, part, phrase('a page of its related URL'))
  throw tooManyCharacters(operation, part, phrase('a page (page[size]) or a filter of it'), { parameter: 'page' })
}

type Description = readonly [part: Phrase, accepted: Phrase, source?: ErrorSource | undefined]

/** The part of the document that does not fit, and what is accepted instead. */
function describeResource(member: Member, response: DataResponse): Description {
  const { query } = response.operation
  const hasPages = Array.isArray(response.data) && query.paginator !== null
  if (!membersOf(response).includes(member)) {
    const accepted = hasPages
      ? phrase('a shorter include, fewer fields (fields) or a smaller page (page[size])')
      : phrase('a shorter include or fewer fields (fields)')
    return [phrase('its included data'), accepted, query.includeRequested ? { parameter: 'include' } : undefined]
  }
  const part = phrase('its primary data')
  if (!Array.isArray(response.data)) return [part, phrase('fewer fields (fields)')]
  return hasPages
    ? [part, phrase('fewer fields (fields) or a smaller page (page[size])')]
    : [part, phrase('fewer fields (fields) or a filter that selects fewer resources')]
}

function tooManyCharacters({ context }: Operation, part: Phrase, accepted: Phrase, source?: ErrorSource): ApiError {
  const limit = context.app.config.limits.documentCharacters
  return documentTooLarge({ limit, counted: phrase('characters'), part, accepted }, source && { source })
}
