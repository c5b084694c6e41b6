import Joi from 'joi'
import { isLoopback } from '#http'
import { splitList } from '#query'

const asymmetric = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const symmetric = ['HS256', 'HS384', 'HS512']

/** The variables for token verification. Without a key, only development tokens are accepted. */
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
  JWT_ISSUER: requiredWithKey(Joi.string()),
  JWT_AUDIENCE: requiredWithKey(Joi.string().custom(splitList)),
  JWT_ALGORITHMS: Joi.string()
    .custom(splitList)
    .when('JWT_JWKS_URL', isSet(Joi.custom(onlyAlgorithms(asymmetric)).default(asymmetric)))
    .when('JWT_JWKS_URL', isUnset(Joi.custom(onlyAlgorithms(symmetric)).default(['HS256']))),
  JWT_CLOCK_TOLERANCE: Joi.number().integer().min(0).max(300).default(5),
}

function requiredWithKey(schema: Joi.StringSchema): Joi.StringSchema {
  return schema
    .when('JWT_JWKS_URL', isSet(Joi.required()))
    .when('JWT_SECRET', isSet(Joi.required()))
    .messages({ 'any.required': '{{#label}} must be set when JWT_JWKS_URL or JWT_SECRET is set' })
}

// Conditions for Joi's `when`. They avoid its member `then`, which would make the object a thenable.

function isSet(schema: Joi.Schema): Joi.WhenOptions {
  return { not: Joi.exist(), otherwise: schema }
}

function isUnset(schema: Joi.Schema): Joi.WhenOptions {
  return { is: Joi.exist(), otherwise: schema }
}

/** Requires https: an attacker who replaces keys in transit could sign accepted tokens. */
function checkKeySetUrl(value: string, helpers: Joi.CustomHelpers): unknown {
  const { protocol, hostname } = new URL(value)
  const isLocal = isLoopback(hostname) && helpers.prefs.context?.isProduction !== true
  if (protocol === 'https:' || isLocal) return value
  return helpers.message({
    custom: '{{#label}} must begin with https://; http:// is accepted only for loopback hosts outside production',
  })
}

/** Accepts algorithms of one family only, so that a public key is never used as a shared secret. */
function onlyAlgorithms(accepted: readonly string[]) {
  return (names: readonly string[], helpers: Joi.CustomHelpers): unknown => {
    if (names.every((name) => accepted.includes(name))) return names
    return helpers.message({ custom: `{{#label}} may name only ${accepted.join(', ')} with this kind of key` })
  }
}
