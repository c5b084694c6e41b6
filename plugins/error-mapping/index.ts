import { isHttpError } from 'http-errors'
import {
  apiErrorsOf,
  type ErrorObject,
  type ErrorResponse,
  type ErrorSource,
  type Known,
  type Plugin,
  plainErrorResponse,
} from '#kernel'
import { ExceptionMap, type Exceptions, faultsIn } from './exceptions.ts'
import { titleOf } from './titles.ts'

declare module '#kernel' {
  interface ResourceWords<Entity> {
    /** Errors its hooks throw for the client, with their statuses: `[[PlaylistNotEmptyError, 409]]`. */
    readonly exceptions?: Exceptions
  }
}

export interface ErrorMappingOptions {
  /** Errors of the application that are meant for the client, with their statuses. */
  readonly exceptions?: Exceptions
}

/**
 * Turns every throwable into an error document: our own errors, classes that are given a status, HTTP exceptions, and
 * anything else as a 500.
 */
export function errorMapping({ exceptions = [] }: ErrorMappingOptions = {}): Plugin {
  const map = new ExceptionMap()
  map.add(exceptions)
  return {
    name: 'error-mapping',
    keys: ['exceptions'],

    onCompile(registry) {
      for (const type of registry.types.values()) {
        const faults = faultsIn(type)
        for (const fault of faults) registry.fail(type, 'exceptions', fault)
        if (faults.length === 0) map.add(type.declaration.exceptions ?? [])
      }
    },

    onError(error, known) {
      if (apiErrorsOf(error).length > 0) return plainErrorResponse(error)
      const status = error instanceof Error ? map.statusOf(error) : undefined
      if (status !== undefined) {
        const { message, source } = error as HttpException
        return httpError({ status, message, ...(source && { source }) }, known)
      }
      return isHttpError(error) ? httpError(error, known) : unexpected(error, known)
    },
  }
}

interface HttpException {
  readonly status: number
  readonly message: string
  readonly headers?: Record<string, string> | undefined
  readonly source?: ErrorSource
}

function httpError({ status, message, headers, source }: HttpException, { app }: Known): ErrorResponse {
  const error: ErrorObject = {
    status: String(status),
    title: titleOf(status),
    detail: app.config.debug ? message : '',
    ...(source && { source }),
  }
  return { kind: 'error', status, errors: [error], ...(headers && { headers }) }
}

/** The only errors that are logged: nobody meant them to happen. */
function unexpected(error: unknown, { app, ctx }: Known): ErrorResponse {
  app.logger?.error({ err: error, method: ctx.method, path: ctx.path }, 'Unexpected error')
  const details = app.config.debug ? debugDetails(error) : {}
  return { kind: 'error', status: 500, errors: [{ status: '500', title: 'Internal Server Error', ...details }] }
}

function debugDetails(error: unknown): Partial<ErrorObject> {
  if (!(error instanceof Error)) return { detail: String(error) }
  const { code } = error as { code?: unknown }
  const trace = (error.stack ?? '')
    .split('\n')
    .slice(1)
    .map((line) => line.trim())
  const [, file = '', line = ''] = /\(?([^()\s]+):(\d+):\d+\)?$/.exec(trace[0] ?? '') ?? []
  return {
    ...(code !== undefined && { code: String(code) }),
    detail: error.message,
    meta: { exception: error.constructor.name, file, line: Number(line), trace },
  }
}
