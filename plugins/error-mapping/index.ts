import { isHttpError } from 'http-errors'
import Joi from 'joi'
import { chooseStatus, describeTruncation, toApiErrors } from '#kernel/errors'
import type { ErrorResponse, Exchange, Plugin, Reply, ResourceType } from '#kernel/plugin'
import { logDatabaseError, withDatabaseError } from './database-errors.ts'
import { describeErrors } from './describe.ts'
import { ExceptionMap, type Exceptions, exceptionFaults } from './exceptions.ts'
import { type ErrorMapper, exceptionMapper, sortByPriority } from './mappers.ts'
import { type JsonApiErrors, Translator } from './messages.ts'
import { neededBy } from './needed-by.ts'
import { ErrorPage } from './page.ts'
import { httpErrorResponse, unexpectedResponse } from './responses.ts'
import { reportUndeclared } from './undeclared-errors.ts'

declare module '#kernel/plugin' {
  interface ResourceType {
    /** The responses to exceptions of a type that declares some. */
    exceptionMap?: ExceptionMap
  }
}

export type { ErrorMapper } from './mappers.ts'
export { de } from './messages/errors.de.ts'
export type { ErrorMessages, JsonApiErrors } from './messages.ts'

declare module '#kernel' {
  interface ResourceKeys<Entity> {
    /**
     * Error classes and statuses for errors thrown in requests and batch operations of this type:
     * `[[PlaylistNotEmptyError, 409]]`.
     */
    readonly exceptions?: Exceptions
  }
}

export interface ErrorMappingOptions {
  /** Error classes of the application and their statuses. */
  readonly exceptions?: Exceptions
  /** Run before `exceptions`, by priority; the first non-null result wins. */
  readonly mappers?: readonly ErrorMapper[]
  /** Translations of the error catalogue, by language and code. */
  readonly messages?: JsonApiErrors
  /** Path of the HTML page that documents all codes and that errors link to; null for no page. */
  readonly page?: string | null
}

/**
 * The error boundary. Maps every thrown value to an error document, in this order: errors of the catalogue, results of
 * mappers, declared exceptions, HTTP errors, everything else as a 500. Translates by `Accept-Language`, and serves a page
 * of all codes.
 */
export function errorMapping(options: ErrorMappingOptions = {}): Plugin {
  const { exceptions = [], mappers = [], messages = {}, page: path = '/errors' } = options
  const defaultMap = new ExceptionMap(exceptions)
  const mapFor = ({ request, type: requestType }: Exchange): ExceptionMap => {
    const type: ResourceType | null | undefined = request?.operationType ?? requestType
    return type?.exceptionMap ?? defaultMap
  }
  const sortedMappers = sortByPriority([...mappers, exceptionMapper(mapFor)])
  const translator = new Translator(messages)
  const page = path === null ? null : new ErrorPage(path)

  return {
    name: 'error-mapping',
    keys: { exceptions: Joi.array().items(Joi.array()) },
    neededBy,

    onCompile(registry) {
      const types: Iterable<ResourceType> = registry.types.values()
      for (const type of types) {
        const faults = exceptionFaults(type)
        for (const fault of faults) registry.fail(type, 'exceptions', fault)
        const declared = type.declaration.exceptions ?? []
        if (faults.length > 0 || declared.length === 0) continue
        type.exceptionMap = new ExceptionMap([...exceptions, ...declared])
      }
    },

    setup(app) {
      page?.create(app)
    },

    routes: (server) => page?.routes(server) ?? [],

    plan({ kind, respond }) {
      if (kind === null && translator.hasSeveralLanguages) respond.push(varyByLanguage)
    },

    onError(thrown, exchange) {
      const language = translator.chooseLanguage(exchange.ctx)
      const { headers, errors, ...response } = toResponse(thrown, exchange, language)
      const linked = errors.map((error) => page?.link(translator.retitle(error, language), exchange) ?? error)
      return { ...response, errors: linked, headers: { 'Content-Language': language, ...headers } }
    },

    describe: (openapi) => describeErrors(openapi, exceptions),
  }

  function toResponse(thrown: unknown, exchange: Exchange, language: string): ErrorResponse {
    const apiErrors = toApiErrors(thrown)
    if (apiErrors.length > 0) {
      reportUndeclared(exchange.app, apiErrors)
      for (const error of apiErrors) logDatabaseError(error, exchange)
      const errors = apiErrors.map((error) => withDatabaseError(translator.translate(error, language), error, exchange))
      return { kind: 'error', status: chooseStatus(apiErrors), errors, ...describeTruncation(thrown) }
    }
    return runMappers(sortedMappers, thrown, exchange)
  }
}

/** Returns the first result of a mapper, else the response of an HTTP error or a 500. A mapper that throws is a 500. */
function runMappers(mappers: readonly ErrorMapper[], thrown: unknown, exchange: Exchange): ErrorResponse {
  try {
    for (const mapper of mappers) {
      const response = mapper.map(thrown, exchange)
      if (response) return response
    }
  } catch (mapperError) {
    return unexpectedResponse(mapperError, exchange)
  }
  return isHttpError(thrown) ? httpErrorResponse(thrown, exchange) : unexpectedResponse(thrown, exchange)
}

function varyByLanguage({ ctx, response }: Reply): void {
  if (response.kind === 'error') ctx.vary('Accept-Language')
}
