import createError from 'http-errors'
import Joi from 'joi'
import type Koa from 'koa'
import { type ApiRequest, addSteps, type Plugin } from '#kernel/plugin'
import { describeShedding } from './describe.ts'
import { createLoad, type Load } from './load.ts'

declare module '#kernel/plugin' {
  interface RequestState {
    /** The load of the process that serves the request. */
    load?: Load
    /** Whether the load counts the request. */
    isInFlight?: boolean
  }
}

/** Load shedding as back-pressure: rejects requests with 503 and `Retry-After` while the process is overloaded. */
export function loadShedding(): Plugin {
  return {
    name: 'load-shedding',
    environment: {
      MAX_IN_FLIGHT: Joi.number().integer().min(0).default(disabledInTests(100)),
      MAX_EVENT_LOOP_DELAY: Joi.number().integer().min(0).default(disabledWhenEmbedded(200)),
    },

    middleware(app) {
      const load = createLoad(app.config.variables)
      if (!load) return null
      return (ctx, next) => {
        if (load.isTooHigh()) reject(ctx)
        ctx.state.load = load
        const release = () => {
          if (ctx.state.isInFlight) load.inFlight--
        }
        return next().then(release, (error) => {
          release()
          throw error
        })
      }
    },

    plan: addSteps({ begin: countRequest }),

    describe: describeShedding,
  }
}

/** Counts a request once, after its body has arrived, so that slow uploads do not use up the limit. */
function countRequest({ ctx }: ApiRequest): void {
  const { load, isInFlight } = ctx.state
  if (!load || isInFlight) return
  if (load.isTooHigh()) reject(ctx)
  load.inFlight++
  ctx.state.isInFlight = true
}

/** Tests send more parallel requests, on busy machines. */
function disabledInTests(limit: number) {
  return ({ NODE_ENV }: { NODE_ENV: string }) => (NODE_ENV === 'test' ? 0 : limit)
}

/** The embedded database blocks the event loop of this process with its work. */
function disabledWhenEmbedded(limit: number) {
  return ({ NODE_ENV, DATABASE_URL }: { NODE_ENV: string; DATABASE_URL: string | null }) =>
    NODE_ENV === 'test' || !DATABASE_URL ? 0 : limit
}

/** One shared error, because the stack trace of a new one would cost more than the rest of the rejection. */
const overloaded = createError(503, 'The service is overloaded.', { headers: { 'Retry-After': '1' } })

function reject(ctx: Koa.Context): never {
  ctx.state.refusedBy = 'load-shedding'
  throw overloaded
}
