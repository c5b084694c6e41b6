/** The limits of one request, one for every list that a client can make long. 0 is no limit. */
export interface RequestLimits {
  /** Errors in one error document. */
  readonly errors: number
  /** Members of one linkage in a request, unless the relation's own `maxItems` is larger. */
  readonly linkageMembers: number
  readonly queryParameters: number
  /** Milliseconds from the end of the request headers to the first byte of the response. */
  readonly deadline: number
}

/** For instructions of the program. */
export const unlimited: RequestLimits = {
  errors: 0,
  linkageMembers: 0,
  queryParameters: 0,
  deadline: 0,
}
