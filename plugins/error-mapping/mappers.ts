import type { ErrorResponse, Exchange } from '#kernel/plugin'
import type { ExceptionMap } from './exceptions.ts'
import { type HttpException, httpErrorResponse } from './responses.ts'

/** Maps a thrown value to a response; returns null to leave it to the next mapper. */
export interface ErrorMapper {
  /** Mappers with a higher priority run first. Default: 0. */
  readonly priority?: number
  map(error: unknown, exchange: Exchange): ErrorResponse | null
}

/** Creates the mapper of declared exceptions. Its low priority makes it run after the mappers of the application. */
export function exceptionMapper(exceptionsFor: (exchange: Exchange) => ExceptionMap): ErrorMapper {
  return {
    priority: -1000,
    map(error, exchange) {
      const status = error instanceof Error ? exceptionsFor(exchange).findStatus(error) : undefined
      if (status === undefined) return null
      const { message, headers, source } = error as HttpException
      return httpErrorResponse({ status, message, headers, source }, exchange)
    },
  }
}

export function sortByPriority(mappers: readonly ErrorMapper[]): readonly ErrorMapper[] {
  return mappers.toSorted((left, right) => (right.priority ?? 0) - (left.priority ?? 0))
}
