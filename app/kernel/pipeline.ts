import type Koa from 'koa'
import type { App } from './app.ts'
import { createContext } from './context.ts'
import { applicationError } from './core-errors.ts'
import type { Document } from './document.ts'
import { isWrite, type Operation, type OperationDraft } from './operation.ts'
import type { Unit } from './provider.ts'
import { parseQueryString } from './query-string.ts'
import type { ApiRequest } from './request.ts'
import { type ApiResponse, Refusal } from './response.ts'
import type { Place } from './router.ts'
import { createOperation } from './stages/create-operation.ts'
import { createRequest } from './stages/create-request.ts'
import { matchPath } from './stages/match-path.ts'
import { negotiate } from './stages/negotiate.ts'
import { readBody } from './stages/read-body.ts'
import { readQuery } from './stages/read-query.ts'
import { render } from './stages/render.ts'
import { knownOf, respond } from './stages/respond.ts'
import { allow, route } from './stages/route.ts'
import { selectOperation } from './stages/select-operation.ts'

/** One request, from top to bottom. The numbers are the statuses a line may end with. */
export async function handle(app: App, ctx: Koa.Context, next: Koa.Next, place: Place): Promise<void> {
  const match = matchPath(ctx, place)
  if (!match) return next() // a plain 404
  const known = knownOf(app, ctx, match)
  for (const plugin of app.with('onMatch')) await plugin.onMatch?.(known) // 401

  await match.server.middleware(ctx, async () => {
    if (ctx.method === 'OPTIONS') return respond(known, allow(match)) // 204
    const media = negotiate(ctx, match) // 415, 406
    known.media = media
    const body = await readBody(app, ctx, match) // 413, 400
    const target = route(ctx, match) // 405, relation 404, 403 for a verb a to-one does not take
    const request = createRequest(app, ctx, match, target, media, body)
    known.request = request
    for (const plugin of app.with('onRequest')) await plugin.onRequest?.(request)

    const response = match.route ? await match.route.handle(ctx, request) : await answer(app, request)
    if (!response) return // a route that wrote its own answer
    const document = render(request, response)
    if (document) await finish(request, document, response)
    respond(known, response, document)
  })
}

/** The document is built: plugins may add to it, and the profiles of the server that the client asked for. */
async function finish(request: ApiRequest, document: Document, response: ApiResponse): Promise<void> {
  const { app, server, media } = request
  for (const plugin of app.with('onDocument')) await plugin.onDocument?.(request, document, response)
  if (response.kind === 'error') return
  for (const profile of server.ownProfiles) {
    if (media.profiles.has(profile.uri)) await profile.apply?.(document, request, response)
  }
}

/** Answers what a request points at. A route of a plugin may do so for a target of its choice. */
export async function answer(app: App, request: ApiRequest): Promise<ApiResponse> {
  const reading = selectOperation(request) // 500: wired wrongly
  const query = readQuery(reading, parseQueryString(request.url.search)) // 400: all faults at once
  const operation = createOperation(request, reading, query) // 400 shapes, 409 type, 403/409 id
  await serve(app, request)
  return dispatch(app, operation)
}

/** Runs one operation in a unit of its own. */
export async function dispatch(app: App, draft: OperationDraft): Promise<ApiResponse> {
  const work = (unit: Unit) => perform(app, draft, unit)
  if (!isWrite(draft.kind)) return (await app.store.read(work, draft.origin)).response
  try {
    const { operation, response } = await app.store.write(work, draft.origin)
    return await afterCommit(operation, response)
  } catch (error) {
    if (error instanceof Refusal) return error.response
    throw error
  }
}

/** What is to be done is known and sound. */
export async function serve(app: App, request: ApiRequest | null): Promise<void> {
  if (request) for (const plugin of app.with('onServe')) await plugin.onServe?.(request)
}

export interface Performed {
  readonly operation: Operation
  readonly response: ApiResponse
}

/** Inside the unit; a write that is answered with an error is undone. */
export async function perform(app: App, draft: OperationDraft, unit: Unit, batch = false): Promise<Performed> {
  const operation: Operation = { ...draft, context: createContext(app, draft.origin, unit, batch) }
  const { handler } = draft.origin.server
  if (!handler) throw applicationError()
  const response = await handler(operation)
  if (response.kind === 'error' && isWrite(draft.kind)) throw new Refusal(response)
  return { operation, response }
}

/** After a batch, whoever fails does not keep the others from being told. */
export async function afterCommit(operation: Operation, response: ApiResponse): Promise<ApiResponse> {
  const { app, batch } = operation.context
  let answer = response
  for (const plugin of app.with('onCommit')) {
    try {
      answer = (await plugin.onCommit?.(operation, answer)) ?? answer
    } catch (error) {
      if (!batch) throw error
      app.logger?.error({ err: error, plugin: plugin.name }, 'A plugin failed after the commit of a batch')
    }
  }
  return answer
}
