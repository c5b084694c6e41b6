import Joi from 'joi'
import compress from 'koa-compress'
import { addVary, type Plugin } from '#kernel/plugin'
import { hideEncodings, showEncoding } from './entity-tags.ts'

/** Compresses responses above COMPRESSION_THRESHOLD bytes, in an encoding that the client accepts. 0 disables it. */
export function compression(): Plugin {
  return {
    name: 'compression',
    environment: { COMPRESSION_THRESHOLD: Joi.number().integer().min(0).default(1024) },

    middleware({ config }) {
      const threshold = Number(config.variables.COMPRESSION_THRESHOLD ?? 0)
      if (threshold === 0) return null
      const compressed = compress({ threshold })
      return async (ctx, next) => {
        const sent = hideEncodings(ctx)
        if (ctx.headers['accept-encoding'] === undefined) {
          addVary(ctx, 'Accept-Encoding')
          return next()
        }
        await compressed(ctx, next)
        showEncoding(ctx, sent)
      }
    },
  }
}
