import {
  type ApiRequest,
  type App,
  type ErrorFactory,
  Faults,
  type Plugin,
  type Reply,
  requestBodyInvalidJsonApi,
} from '#kernel/plugin'
import { describeChecks } from './describe.ts'
import { covers, environment } from './environment.ts'
import { responseBodyInvalidJson, responseBodyInvalidJsonApi } from './errors.ts'
import type { Part } from './schemas/documents.ts'
import type { Fault } from './to-faults.ts'
import type { Finding } from './validate.ts'

type Checks = typeof import('./validate.ts')

/** Errors of one answer that are logged. */
const maxLogged = 20

const atomicExtension = 'https://jsonapi.org/ext/atomic'

/**
 * Holds documents against the structure JSON:API gives them, down to members the standard does not know: those of
 * clients where the usual checks found nothing, and our own as they are about to be sent. Off unless the environment
 * says otherwise: the standard lets unknown members pass, and answers are checked for our own sake only.
 */
export function schemaValidation(): Plugin {
  const checks = new WeakMap<App, Checks>()
  return {
    name: 'schema-validation',
    environment,
    errors: [responseBodyInvalidJson.definition, responseBodyInvalidJsonApi.definition],

    async setup(app) {
      if (covers(app, 'requests') || covers(app, 'responses')) checks.set(app, await import('./validate.ts'))
    },

    beforeOperations(request) {
      const part = partOf(request)
      if (request.body === undefined || !part || !covers(request.app, 'requests')) return
      const found = checks.get(request.app)?.faultsInRequest(request.body, part)
      if (found) throwAll(found, requestBodyInvalidJsonApi, request.app)
    },

    onResponse(reply) {
      const { ctx, exchange: known, response } = reply
      const check = covers(known.app, 'responses') ? checks.get(known.app) : undefined
      if (!check || !ctx.body) return
      const document = parse(String(ctx.body))
      const found = check.faultsInAnswer(document, answeredPart(reply))
      if (document !== undefined && found.faults.length === 0) return
      const { method, path } = ctx
      const errors = document === undefined ? [] : found.faults.slice(0, maxLogged).map(tell)
      known.app.logger?.error({ method, path, errors }, 'An answer is not a JSON:API document')
      for (const name of Object.keys(response.headers ?? {})) ctx.remove(name)
      if (document === undefined) throw responseBodyInvalidJson()
      throwAll(found, responseBodyInvalidJsonApi, known.app)
    },

    describe: describeChecks,
  }
}

/** What a client writes here; undefined at an endpoint whose documents only its plugin knows. */
function partOf({ media, target }: ApiRequest): Part | undefined {
  if (media.extension === atomicExtension) return 'batch'
  if (media.extension !== null || !target) return undefined
  return target.relation ? 'linkage' : 'resource'
}

function answeredPart({ exchange: known, response }: Reply): Part {
  if (response.kind === 'document' && known.media?.extension === atomicExtension) return 'batch'
  return response.kind === 'identifier' ? 'linkage' : 'resource'
}

/** Throws the faults as errors, no more than the limit. */
function throwAll({ faults, truncated }: Finding, error: ErrorFactory, { config }: App): void {
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

function tell({ pointer, reason }: Fault): object {
  return { message: String(reason), pointer }
}
