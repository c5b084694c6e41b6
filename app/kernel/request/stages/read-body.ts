import type Koa from 'koa'
import { requestBodyInvalidJson } from '../../errors/core-errors.ts'
import { phrase } from '../../errors/errors.ts'
import type { App } from '../../model/app.ts'
import type { Deadline } from '../../model/deadline.ts'
import type { Match } from '../../model/match.ts'
import { readText } from '../body/body-text.ts'

const maxDepth = 32

/** The parsed body of a request that has one by its method. */
export async function readBody(app: App, ctx: Koa.Context): Promise<unknown> {
  const before = bodyReadBefore(ctx)
  const body = before === undefined ? parse(await receiveText(app, ctx)) : before
  checkDepth(body, maxDepth)
  return body
}

export function takesBody({ method }: Koa.Context, match: Match): boolean {
  if (match.route) return match.route.jsonapi !== undefined && method === 'POST'
  return method === 'POST' || method === 'PATCH' || (method === 'DELETE' && match.shape === 'relationship')
}

/** REQUEST_TIMEOUT limits the time a client takes to send its body. */
async function receiveText(app: App, { req, state }: Koa.Context): Promise<string> {
  const deadline: Deadline | null | undefined = state.deadline
  deadline?.suspend()
  try {
    return await readText(req, app.config.bodyLimit)
  } finally {
    deadline?.resume()
  }
}

/** A program around this one may have read it. */
function bodyReadBefore({ request }: Koa.Context): unknown {
  return (request as { body?: unknown }).body
}

function parse(text: string): unknown {
  if (text === '') throw requestBodyInvalidJson({ reason: phrase('it is empty') })
  try {
    return JSON.parse(text)
  } catch {
    throw requestBodyInvalidJson({ reason: phrase('its syntax is wrong') })
  }
}

/** The name of the prototype is no member: a copy of the object would have that prototype. */
function checkDepth(value: unknown, levels: number): void {
  if (typeof value !== 'object' || value === null) return
  if (levels === 0)
    throw requestBodyInvalidJson({ reason: phrase('it is nested deeper than {levels} levels', { levels: maxDepth }) })
  if (Object.hasOwn(value, '__proto__')) throw requestBodyInvalidJson({ reason: phrase('its syntax is wrong') })
  for (const child of Array.isArray(value) ? value : Object.values(value)) checkDepth(child, levels - 1)
}
