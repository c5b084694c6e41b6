import {
  type ApiError,
  type ApiRequest,
  type App,
  type Plugin,
  type Reply,
  requestBodyInvalidJsonApi,
  throwFaults,
} from '#kernel'
import { describeChecks } from './describe.ts'
import { covers, environment } from './environment.ts'
import { responseBodyInvalidJson, responseBodyInvalidJsonApi } from './errors.ts'
import type { Part } from './schemas/documents.ts'

type Checks = typeof import('./check.ts')

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
      if (covers(app, 'requests') || covers(app, 'responses')) checks.set(app, await import('./check.ts'))
    },

    onServe(request) {
      const part = partOf(request)
      if (request.body === undefined || !part || !covers(request.app, 'requests')) return
      const faults = checks.get(request.app)?.faultsInRequest(request.body, part) ?? []
      throwFaults(faults.map(({ pointer, reason }) => requestBodyInvalidJsonApi({ reason }, { source: { pointer } })))
    },

    onSend(reply) {
      const { ctx, known, response } = reply
      const check = covers(known.app, 'responses') ? checks.get(known.app) : undefined
      if (!check || !ctx.body) return
      const errors = errorsIn(String(ctx.body), answeredPart(reply), check)
      if (errors.length === 0) return
      const { method, path } = ctx
      known.app.logger?.error({ method, path, errors: errors.map(tell) }, 'An answer is not a JSON:API document')
      for (const name of Object.keys(response.headers ?? {})) ctx.remove(name)
      throwFaults(errors)
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

function answeredPart({ known, response }: Reply): Part {
  if (response.kind === 'document' && known.media?.extension === atomicExtension) return 'batch'
  return response.kind === 'identifier' ? 'linkage' : 'resource'
}

function errorsIn(text: string, part: Part, { faultsInAnswer }: Checks): ApiError[] {
  const document = parse(text)
  if (document === undefined) return [responseBodyInvalidJson()]
  return faultsInAnswer(document, part).map(({ pointer, reason }) =>
    responseBodyInvalidJsonApi({ reason }, { source: { pointer } }),
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function tell({ message, options }: ApiError): object {
  return { message, ...options.source }
}
