import { type ApiError, documentTooLarge, type ErrorSource, type Phrase, phrase } from '#kernel/errors'
import { type DataResponse, type IdentifierResponse, isWrite, listMembers, type Member, wireId } from '#kernel/plugin'

/** Returns the text of a resource that does not fit into the document. A write may be committed, and is not refused. */
export function shortenResource(member: Member, response: DataResponse, limit: number): string {
  if (isWrite(response.operation.kind)) return bareIdentifier(member)
  throw tooManyCharacters(limit, ...describeResource(member, response))
}

/** Returns the linkage to show in place of linkage that does not fit. */
export function shortenLinkage({ operation, relation, edge }: IdentifierResponse, limit: number): string {
  if (isWrite(operation.kind)) return `[${edge.members.map(bareIdentifier).join()}]`
  const part = phrase("the relationship '{path}'", { path: relation.name })
  if (relation.pivotFields.length > 0) throw tooManyCharacters(limit, part, phrase('a page of its related URL'))
  throw tooManyCharacters(limit, part, phrase('a page (page[size]) or a filter of it'), { parameter: 'page' })
}

/** Writes the identifier of a resource without its meta. */
function bareIdentifier({ type, record }: Member): string {
  return JSON.stringify({ type: type.name, id: wireId(type, record) })
}

type Description = readonly [part: Phrase, accepted: Phrase, source?: ErrorSource | undefined]

/** The part of the document that does not fit, and what is accepted instead. */
function describeResource(member: Member, response: DataResponse): Description {
  const { query } = response.operation
  const hasPages = Array.isArray(response.data) && query.paginator !== null
  if (!listMembers(response).includes(member)) {
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

function tooManyCharacters(limit: number, part: Phrase, accepted: Phrase, source?: ErrorSource): ApiError {
  return documentTooLarge({ limit, counted: phrase('characters'), part, accepted }, source && { source })
}
