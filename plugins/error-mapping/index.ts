import { isHttpError } from 'http-errors'
import { apiErrorsOf, type ErrorObject, type ErrorResponse, type Known, type Plugin, plainErrorResponse } from '#kernel'
import { titleOf } from './titles.ts'

/** Turns every throwable into an error document: our own errors, HTTP exceptions, and anything else as a 500. */
export function errorMapping(): Plugin {
  return {
    name: 'error-mapping',
    onError(error, known) {
      if (apiErrorsOf(error).length > 0) return plainErrorResponse(error)
      return isHttpError(error) ? httpError(error, known) : unexpected(error, known)
    },
  }
}

type HttpException = Error & {
  readonly status: number
  readonly headers?: Record<string, string> | undefined
  readonly source?: ErrorObject['source']
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
