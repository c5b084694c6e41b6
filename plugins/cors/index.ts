import allowOrigins from '@koa/cors'
import Joi from 'joi'
import type { Plugin } from '#kernel/plugin'

interface CorsVariables {
  /** Origins of other sites, or `*`. */
  readonly CORS_ORIGINS: readonly string[]
  readonly CORS_MAX_AGE: number
}

/** What scripts of another site may see besides the document. */
const exposeHeaders = [
  'Content-Location',
  'Deprecation',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'X-Request-Id',
]

/** Lets pages of other sites send requests, as far as CORS_ORIGINS names them; off while it names none. */
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
        // What is set before an error stays.
        keepHeadersOnError: false,
      })
    },
  }
}

/** `https://app.example.com, https://other.example`, or `*`. */
function readOrigins(value: string, helpers: Joi.CustomHelpers): unknown {
  const origins = value.split(',').flatMap((part) => part.trim() || [])
  const wrong = origins.filter((origin) => origin !== '*' && URL.parse(origin)?.origin !== origin)
  if (wrong.length === 0) return origins
  return helpers.message({ custom: '{{#label}} must list origins such as https://app.example.com, or be *' })
}
