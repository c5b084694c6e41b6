import allowOrigins from '@koa/cors'
import Joi from 'joi'
import type { Plugin } from '#kernel/plugin'

interface CorsVariables {
  /** Allowed origins, or `*`. */
  readonly CORS_ORIGINS: readonly string[]
  readonly CORS_MAX_AGE: number
}

/** Response headers that scripts of other origins may read. */
const exposeHeaders = [
  'Content-Location',
  'Deprecation',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'X-Request-Id',
]

/** Allows cross-origin requests from CORS_ORIGINS. Disabled if it is empty. */
export function cors(): Plugin {
  return {
    name: 'cors',
    environment: {
      CORS_ORIGINS: Joi.string().custom(readOrigins).default([]),
      CORS_MAX_AGE: Joi.number().integer().min(0).default(600),
    },

    middleware({ config }) {
      const { CORS_ORIGINS: origins = [], CORS_MAX_AGE: maxAge } = config.variables as unknown as CorsVariables
      if (origins.length === 0) return null
      return allowOrigins({
        origin: (ctx) => {
          const origin = ctx.get('Origin')
          if (origins.includes('*')) return '*'
          return origins.includes(origin) ? origin : ''
        },
        allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
        exposeHeaders,
        maxAge,
        keepHeadersOnError: false, // error responses keep headers that are set already
      })
    },
  }
}

/** `https://app.example.com, https://other.example`, or `*`. */
function readOrigins(value: string, helpers: Joi.CustomHelpers): unknown {
  const origins = value.split(',').flatMap((part) => part.trim() || [])
  const invalid = origins.filter((origin) => origin !== '*' && URL.parse(origin)?.origin !== origin)
  if (invalid.length === 0) return origins
  return helpers.message({ custom: '{{#label}} must list origins such as https://app.example.com, or be *' })
}
