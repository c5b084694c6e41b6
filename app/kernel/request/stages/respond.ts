import type Koa from 'koa'
import type { Exchange } from '../../contract/request.ts'
import type { ApiResponse, Document } from '../../contract/response.ts'
import type { Plan } from '../../contract/stages.ts'
import type { ErrorObject } from '../../errors/errors.ts'
import { writeDocument } from '../../lib/json-text.ts'
import { mediaType } from '../../lib/media-type.ts'
import { addVary } from '../../lib/vary.ts'

/** Sets the status, the headers and the body, then runs the stage `respond`. */
export function respond(exchange: Exchange, response: ApiResponse, document: Document | null = null): void {
  const { ctx, app } = exchange
  ctx.status = response.status
  addVary(ctx, 'Accept')
  if (response.headers) {
    for (const [name, value] of Object.entries(response.headers)) {
      if (/^vary$/i.test(name)) ctx.vary(value)
      else ctx.set(name, value)
    }
  }
  if (document) {
    const { errors, jsonapi } = document
    ctx.set('Content-Type', jsonapi.ext || jsonapi.profile ? buildContentType(jsonapi) : mediaType)
    ctx.body = errors ? app.documents.writeErrors(document, addIds(errors, ctx)) : writeDocument(document)
  } else {
    ctx.body = response.kind === 'rendered' ? response.body : null
    ctx.status = response.status // an empty body has set 204
  }
  if (response.kind === 'rendered') return
  const reply = { ctx, exchange, response }
  const { request } = exchange
  const plan = request && response.kind !== 'error' ? request.plan : planWithoutOperation(exchange)
  for (const step of plan?.respond ?? []) step(reply)
}

/** Errors, and responses before the request is read, have the plan of the type without an operation. */
export function planWithoutOperation({ app, server, type }: Exchange): Plan | undefined {
  if (!server) return undefined
  return app.plans.ofEndpoint(app, { server, kind: null, target: type ? { type } : null, profiles: noProfiles })
}

const noProfiles: ReadonlySet<string> = new Set()

/** Adds the request id to error objects, with a number if there are several. That of a 500 without details is in a header only. */
function addIds(errors: readonly ErrorObject[], ctx: Koa.Context): readonly ErrorObject[] {
  const id = ctx.state.requestId
  if (id === undefined) return errors // no plugin has set an id
  return errors.map((error, index) =>
    isBare(error) ? error : { id: errors.length === 1 ? id : `${id}.${index + 1}`, ...error },
  )
}

/** Whether the error is the 500 of an unexpected error outside of debug mode. */
function isBare({ status, code, detail }: ErrorObject): boolean {
  return status === '500' && code === undefined && detail === undefined
}

function buildContentType({ ext, profile }: Document['jsonapi']): string {
  const extensions = ext ? `; ext="${ext.join(' ')}"` : ''
  return mediaType + extensions + (profile ? `; profile="${profile.join(' ')}"` : '')
}
