import Joi from 'joi'
import compress from 'koa-compress'
import { addVary, type Plugin } from '#kernel/plugin'

/** Compresses responses above COMPRESSION_THRESHOLD bytes, in an encoding that the client accepts. 0 disables it. */
export function compression(): Plugin {
  return {
    name: 'compression',
    environment: { COMPRESSION_THRESHOLD: Joi.number().integer().min(0).default(1024) },

    middleware({ config }) {
      const threshold = Number(config.variables.COMPRESSION_THRESHOLD ?? 0)
      if (threshold === 0) return null
      const compressed = compress({ threshold })
      return (ctx, next) => {
        if (ctx.headers['accept-encoding'] !== undefined) return compressed(ctx, next)
        addVary(ctx, 'Accept-Encoding')
        return next()
      }
    },
  }
}
