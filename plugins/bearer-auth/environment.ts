import Joi from 'joi'
import { isLoopback } from '#kernel/plugin'

const asymmetric = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const symmetric = ['HS256', 'HS384', 'HS512']

/** What the environment says about tokens; without a key there are only those of development. */
export interface JwtVariables {
  readonly JWT_JWKS_URL?: string
  readonly JWT_SECRET?: string
  readonly JWT_ISSUER: string
  readonly JWT_AUDIENCE: readonly string[]
  readonly JWT_ALGORITHMS: readonly string[]
  readonly JWT_CLOCK_TOLERANCE: number
}

export const environment: Joi.SchemaMap = {
  JWT_JWKS_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .custom(checkKeySetUrl),
  JWT_SECRET: Joi.string()
    .min(32)
    .when('JWT_JWKS_URL', isSet(Joi.forbidden()))
    .when('JWT_JWKS_URL', isUnset(Joi.when('$isDevelopment', { is: true, otherwise: Joi.required() })))
    .messages({
      'any.required':
        'JWT_JWKS_URL or JWT_SECRET must be set: the development tokens of app/plugins.ts are accepted only if NODE_ENV is development or test, or if NODE_ENV is unset and HOST is a loopback address',
      'any.unknown': 'JWT_SECRET and JWT_JWKS_URL are both set; keep one of them',
    }),
  JWT_ISSUER: neededWithKey(Joi.string()),
  JWT_AUDIENCE: neededWithKey(Joi.string().custom(splitList)),
  JWT_ALGORITHMS: Joi.string()
    .custom(splitList)
    .when('JWT_JWKS_URL', isSet(Joi.custom(among(asymmetric)).default(asymmetric)))
    .when('JWT_JWKS_URL', isUnset(Joi.custom(among(symmetric)).default(['HS256']))),
  JWT_CLOCK_TOLERANCE: Joi.number().integer().min(0).max(300).default(5),
}

function neededWithKey(schema: Joi.StringSchema): Joi.StringSchema {
  return schema
    .when('JWT_JWKS_URL', isSet(Joi.required()))
    .when('JWT_SECRET', isSet(Joi.required()))
    .messages({ 'any.required': '{{#label}} must be set where tokens are verified with a key' })
}

// Conditions of Joi's `when`, said without its member `then`, which would make a promise of them.

function isSet(schema: Joi.Schema): Joi.WhenOptions {
  return { not: Joi.exist(), otherwise: schema }
}

function isUnset(schema: Joi.Schema): Joi.WhenOptions {
  return { is: Joi.exist(), otherwise: schema }
}

/** Keys that are fetched without TLS could be replaced on the way, and with them the tokens that are accepted. */
function checkKeySetUrl(value: string, helpers: Joi.CustomHelpers): unknown {
  const { protocol, hostname } = new URL(value)
  const isLocal = isLoopback(hostname) && helpers.prefs.context?.isProduction !== true
  if (protocol === 'https:' || isLocal) return value
  return helpers.message({
    custom: '{{#label}} must begin with https://; http:// is for loopback hosts outside production',
  })
}

function splitList(value: string): readonly string[] {
  return value.split(',').flatMap((part) => part.trim() || [])
}

/** A public key must never serve as a shared secret, so the two families are kept apart. */
function among(known: readonly string[]) {
  return (names: readonly string[], helpers: Joi.CustomHelpers): unknown => {
    if (names.every((name) => known.includes(name))) return names
    return helpers.message({ custom: `{{#label}} may name ${known.join(', ')} with this kind of key` })
  }
}
