import { isHttpError } from 'http-errors'
import {
  apiErrorsOf,
  type ErrorResponse,
  type Exchange,
  type Plugin,
  type ResourceType,
  statusOf,
  truncationOf,
} from '#kernel/plugin'
import { describeErrors } from './describe.ts'
import { ExceptionMap, type Exceptions, faultsIn } from './exceptions.ts'
import { byPriority, type ErrorMapper, exceptionMapper } from './mappers.ts'
import { type JsonApiErrors, Translator } from './messages.ts'
import { ErrorPage } from './page.ts'
import { httpErrorResponse, unexpectedResponse } from './responses.ts'

export type { ErrorMapper } from './mappers.ts'
export { de } from './messages/jsonapi_errors.de.ts'
export type { ErrorMessages, JsonApiErrors } from './messages.ts'

declare module '#kernel' {
  interface ResourceWords<Entity> {
    /**
     * Errors thrown for the client in requests and batch operations of this type, with their statuses:
     * `[[PlaylistNotEmptyError, 409]]`.
     */
    readonly exceptions?: Exceptions
  }
}

export interface ErrorMappingOptions {
  /** Errors of the application that are meant for the client, with their statuses. */
  readonly exceptions?: Exceptions
  /** Asked before those, by priority; the first that answers wins. */
  readonly mappers?: readonly ErrorMapper[]
  /** Other words for the errors of the catalogue, by language and code. */
  readonly messages?: JsonApiErrors
  /** Where the page of all codes is served, which errors link to; null for no page. */
  readonly page?: string | null
}

/**
 * Turns every throwable into an error document: our own errors, what a mapper answers, classes that are given a status,
 * HTTP exceptions, and anything else as a 500. It speaks the language of the client, and explains every code on a page.
 */
export function errorMapping(options: ErrorMappingOptions = {}): Plugin {
  const { exceptions = [], mappers = [], messages = {}, page: path = '/errors' } = options
  const ofAllTypes = new ExceptionMap(exceptions)
  const ofType = new WeakMap<ResourceType, ExceptionMap>()
  const mapFor = ({ request, type }: Exchange): ExceptionMap => {
    const declaring = request?.operationType ?? type
    return (declaring && ofType.get(declaring)) ?? ofAllTypes
  }
  const asked = byPriority([...mappers, exceptionMapper(mapFor)])
  const translator = new Translator(messages)
  const page = path === null ? null : new ErrorPage(path)

  return {
    name: 'error-mapping',
    keys: ['exceptions'],

    onCompile(registry) {
      for (const type of registry.types.values()) {
        const faults = faultsIn(type)
        for (const fault of faults) registry.fail(type, 'exceptions', fault)
        const own = type.declaration.exceptions ?? []
        if (faults.length === 0 && own.length > 0) ofType.set(type, new ExceptionMap([...exceptions, ...own]))
      }
    },

    setup(app) {
      page?.write(app)
    },

    routes: (server) => page?.routes(server) ?? [],

    onResponse({ ctx, response }) {
      if (response.kind === 'error' && translator.isChoice) ctx.vary('Accept-Language')
    },

    onError(error, known) {
      const language = translator.languageOf(known.ctx)
      const { headers, errors, ...response } = answer(error, known, language)
      const linked = errors.map((one) => page?.link(translator.retitle(one, language), known) ?? one)
      return { ...response, errors: linked, headers: { 'Content-Language': language, ...headers } }
    },

    describe: (openapi) => describeErrors(openapi, exceptions),
  }

  function answer(error: unknown, known: Exchange, language: string): ErrorResponse {
    const own = apiErrorsOf(error)
    if (own.length > 0) {
      const errors = own.map((one) => translator.say(one, language))
      return { kind: 'error', status: statusOf(own), errors, ...truncationOf(error) }
    }
    try {
      for (const mapper of asked) {
        const response = mapper.map(error, known)
        if (response) return response
      }
    } catch (thrown) {
      return unexpectedResponse(thrown, known)
    }
    return isHttpError(error) ? httpErrorResponse(error, known) : unexpectedResponse(error, known)
  }
}
