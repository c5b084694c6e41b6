/** The limits of one request, one for every list that a client can make long. 0 is no limit. */
export interface RequestLimits {
  /** Errors in one error document. */
  readonly errors: number
  /** Members of one linkage in a request, unless the relation's own `maxItems` is larger. */
  readonly linkageMembers: number
  /** Values of one filter. */
  readonly filterValues: number
  readonly sortKeys: number
  readonly includePaths: number
  /** Words of one search filter. */
  readonly searchWords: number
  readonly queryParameters: number
  /** Characters of all relationship queries; the links of every primary resource contain them. */
  readonly relatedQueryLength: number
  /** Milliseconds from the end of the request headers to the first byte of the response. */
  readonly deadline: number
}

/** For instructions of the program. */
export const unlimited: RequestLimits = {
  errors: 0,
  linkageMembers: 0,
  filterValues: 0,
  sortKeys: 0,
  includePaths: 0,
  searchWords: 0,
  queryParameters: 0,
  relatedQueryLength: 0,
  deadline: 0,
}
