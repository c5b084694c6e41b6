import type { ErrorResponse, Exchange } from '#kernel/plugin'
import type { ExceptionMap } from './exceptions.ts'
import { type HttpException, httpErrorResponse } from './responses.ts'

/** Takes a throwable and answers it, or leaves it to the next by null. */
export interface ErrorMapper {
  /** The higher, the earlier it is asked; 0 unless told. */
  readonly priority?: number
  map(error: unknown, known: Exchange): ErrorResponse | null
}

/** The classes that are given a status come after mappers of any usual priority. */
export function exceptionMapper(exceptionsFor: (known: Exchange) => ExceptionMap): ErrorMapper {
  return {
    priority: -1000,
    map(error, known) {
      const status = error instanceof Error ? exceptionsFor(known).statusOf(error) : undefined
      if (status === undefined) return null
      const { message, headers, source } = error as HttpException
      return httpErrorResponse({ status, message, headers, source }, known)
    },
  }
}

export function byPriority(mappers: readonly ErrorMapper[]): readonly ErrorMapper[] {
  return mappers.toSorted((one, other) => (other.priority ?? 0) - (one.priority ?? 0))
}
