import { type ErrorFactory, Faults, requestBodyInvalidJsonApi } from '#kernel/errors'
import type { ApiRequest, App, Plugin, Reply } from '#kernel/plugin'
import { describeSchemaValidation } from './describe.ts'
import { environment, isEnabled } from './environment.ts'
import { responseBodyInvalidJson, responseBodyInvalidJsonApi } from './errors.ts'
import type { DocumentKind } from './schemas/documents.ts'
import type { Fault } from './to-faults.ts'
import type { ValidationResult } from './validate.ts'

declare module '#kernel/plugin' {
  interface App {
    /** Undefined if nothing is validated. */
    schemaValidator?: Validator
  }
}

type Validator = typeof import('./validate.ts')

/** Faults of one response that are logged. */
const maxLogged = 20

const atomicExtension = 'https://jsonapi.org/ext/atomic'

/**
 * Validates documents against JSON Schemas of JSON:API that reject unknown members: requests after the checks of the
 * kernel, responses before they are sent. Off by default, because JSON:API requires servers to ignore unknown members.
 */
export function schemaValidation(): Plugin {
  return {
    name: 'schema-validation',
    environment,
    errors: [responseBodyInvalidJson.definition, responseBodyInvalidJsonApi.definition],

    async setup(app) {
      if (isEnabled(app, 'requests') || isEnabled(app, 'responses')) app.schemaValidator = await import('./validate.ts')
    },

    plan({ app, authorize, respond }) {
      if (isEnabled(app, 'requests')) authorize.push(validateRequest)
      if (isEnabled(app, 'responses')) respond.push(validateResponse)
    },

    describe: describeSchemaValidation,
  }

  function validateRequest(request: ApiRequest): void {
    const kind = requestKind(request)
    if (request.body === undefined || !kind) return
    const result = request.app.schemaValidator?.validateRequest(request.body, kind)
    if (result) throwFaults(result, requestBodyInvalidJsonApi, request.app)
  }

  function validateResponse(reply: Reply): void {
    const { ctx, exchange, response } = reply
    const { app } = exchange
    const { schemaValidator: validator } = app
    if (!validator || !ctx.body) return
    const document = parse(String(ctx.body))
    const result = validator.validateResponse(document, responseKind(reply))
    if (document !== undefined && result.faults.length === 0) return
    const { method, path } = ctx
    const errors = document === undefined ? [] : result.faults.slice(0, maxLogged).map(toLogEntry)
    app.logger?.error({ method, path, errors }, 'Response is not a valid JSON:API document; sent a 500 instead')
    for (const name of Object.keys(response.headers ?? {})) ctx.remove(name)
    if (document === undefined) throw responseBodyInvalidJson()
    throwFaults(result, responseBodyInvalidJsonApi, app)
  }
}

/** Returns undefined for endpoints of plugins and other extensions, which define their documents. */
function requestKind({ media, target }: ApiRequest): DocumentKind | undefined {
  if (media.extension === atomicExtension) return 'batch'
  if (media.extension !== null || !target) return undefined
  return target.relation ? 'linkage' : 'resource'
}

function responseKind({ exchange, response }: Reply): DocumentKind {
  if (response.kind === 'document' && exchange.media?.extension === atomicExtension) return 'batch'
  return response.kind === 'identifier' ? 'linkage' : 'resource'
}

/** Throws the faults as errors, up to the limit of errors. */
function throwFaults({ faults, truncated }: ValidationResult, error: ErrorFactory, { config }: App): void {
  const errors = new Faults(config.limits.errors)
  if (truncated) errors.truncate()
  for (const { pointer, reason } of faults) errors.push(error({ reason }, { source: { pointer } }))
  errors.throwAny()
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toLogEntry({ pointer, reason }: Fault): object {
  return { message: String(reason), pointer }
}
