import createError from 'http-errors'
import Joi from 'joi'
import type Koa from 'koa'
import type { Plugin } from '#kernel/plugin'
import { describeShedding } from './describe.ts'
import { type Load, watchLoad } from './load.ts'

/** Requests that cannot be answered soon are refused at once: 503, and try again later. */
export function loadShedding(): Plugin {
  return {
    name: 'load-shedding',
    environment: {
      MAX_IN_FLIGHT: Joi.number().integer().min(0).default(unlessTesting(100)),
      MAX_EVENT_LOOP_DELAY: Joi.number().integer().min(0).default(besideTheDatabase(200)),
    },

    middleware(app) {
      const load = watchLoad(app.config.variables)
      if (!load) return null
      return async (ctx, next) => {
        if (load.isTooHigh()) refuse(ctx)
        ctx.state.load = load
        try {
          await next()
        } finally {
          if (ctx.state.isInFlight) load.inFlight--
        }
      }
    },

    /** The body is there by now: a client that sends it slowly takes nobody's place. */
    onRequest({ ctx }) {
      const load: Load | undefined = ctx.state.load
      if (!load) return
      if (load.isTooHigh()) refuse(ctx)
      load.inFlight++
      ctx.state.isInFlight = true
    },

    describe: describeShedding,
  }
}

/** A test may well do more at once, and on a busy machine. */
function unlessTesting(limit: number) {
  return ({ NODE_ENV }: { NODE_ENV: string }) => (NODE_ENV === 'test' ? 0 : limit)
}

/** The embedded database does its work in our own event loop. */
function besideTheDatabase(limit: number) {
  return ({ NODE_ENV, DATABASE_URL }: { NODE_ENV: string; DATABASE_URL: string | null }) =>
    NODE_ENV === 'test' || !DATABASE_URL ? 0 : limit
}

/** Always the same one: to note where it comes from would cost more than all the rest of a refusal. */
const tooMuch = createError(503, 'The service has too much to do.', { headers: { 'Retry-After': '1' } })

function refuse(ctx: Koa.Context): never {
  ctx.state.refusedBy = 'load-shedding'
  throw tooMuch
}
