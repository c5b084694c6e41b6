import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { isAbsolute, normalize } from 'node:path'
import Joi from 'joi'
import { isValidHost } from '#app/http/host.ts'
import { isLoopback } from '#app/http/loopback.ts'
import { splitList } from '#app/query/split-list.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(['The environment is not usable:', ...faults.map((fault) => `- ${fault}`)].join('\n'))
    this.faults = faults
  }
}

/**
 * Validates environment variables. An empty variable counts as unset; a secret may be in the file that its `_FILE`
 * variable names. Throws all faults together; no fault contains a value.
 */
export function readEnvironment(
  env: Environment,
  schemas: Joi.SchemaMap,
  secrets: readonly string[],
): Record<string, unknown> {
  const faults: string[] = []
  const variables = readSecrets(env, secrets, faults)
  const { value, error } = Joi.object(schemas).validate(variables, {
    context: schemaContext(variables),
    abortEarly: false,
    stripUnknown: true,
    errors: { wrap: { label: false } },
    messages: { 'string.pattern.base': '{{#label}} does not have the required form' },
  })
  faults.push(...(error?.details ?? []).map(({ message }) => `${message}.`))
  if (faults.length > 0) throw new ConfigError(faults)
  return value
}

function readSecrets(env: Environment, secrets: readonly string[], faults: string[]): Record<string, string> {
  const variables = Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  for (const name of secrets) {
    const file = variables[`${name}_FILE`]
    if (file === undefined) continue
    if (variables[name] !== undefined) faults.push(`${name} and ${name}_FILE are both set; keep one of them.`)
    else {
      try {
        variables[name] = readFileSync(file, 'utf8').trim()
      } catch (error) {
        faults.push(`${name}_FILE names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`)
      }
    }
  }
  return variables
}

/**
 * The references `$isDevelopment`, `$isLocalDevelopment` and `$isProduction` of schemas. An unset NODE_ENV means development
 * only on a loopback address, because on other addresses it may have been forgotten.
 */
function schemaContext({ NODE_ENV, HOST }: Environment): Readonly<Record<string, boolean>> {
  const isLocal = HOST === undefined || isLoopback(HOST)
  return {
    isLocalDevelopment: isLocal && (NODE_ENV === undefined || NODE_ENV === 'development'),
    isDevelopment: NODE_ENV === undefined ? isLocal : NODE_ENV === 'development' || NODE_ENV === 'test',
    isProduction: NODE_ENV === 'production',
  }
}

/** A number of processes, or `auto`. The embedded database supports one process only. */
export const workerCount = Joi.string().custom((value: string, helpers) => {
  if (!/^(auto|[1-9]\d{0,2})$/.test(value)) return helpers.message({ custom: '{{#label}} must be a number or auto' })
  if (value !== '1' && !helpers.state.ancestors[0].DATABASE_URL)
    return helpers.message({ custom: '{{#label}} needs a PostgreSQL server: set DATABASE_URL as well' })
  return value === 'auto' ? availableParallelism() : Number(value)
})

const urlForm = 'postgres://user:password@host:5432/database'
const encoding = 'special characters of the password must be percent-encoded, such as %40 for @ and %2F for /'

export const databaseUrl = Joi.string().custom((value: string, helpers) =>
  isDatabaseUrl(value) ? value : helpers.message({ custom: `{{#label}} must look like ${urlForm}; ${encoding}` }),
)

export const replicaUrls = Joi.string().custom((value: string, helpers) => {
  const urls = splitList(value)
  if (!helpers.state.ancestors[0].DATABASE_URL)
    return helpers.message({ custom: '{{#label}} needs a primary: set DATABASE_URL as well' })
  return urls.every(isDatabaseUrl)
    ? urls
    : helpers.message({ custom: `{{#label}} must look like ${urlForm},postgres://…; ${encoding}` })
})

export const hostList = Joi.string()
  .lowercase()
  .custom((value: string, helpers) => {
    const hosts = splitList(value)
    return hosts.every(isValidHost)
      ? hosts
      : helpers.message({ custom: '{{#label}} must look like api.example.com,www.example.com:8443' })
  })

export const nameList = Joi.string().custom(splitList)

/** Folders inside the project. */
export const pathList = Joi.string().custom((value: string, helpers) => {
  const paths = splitList(value).map((path) => normalize(path).replace(/\/$/, ''))
  const isInside = (path: string) => path !== '.' && !isAbsolute(path) && !path.startsWith('..')
  return paths.length > 0 && paths.every(isInside)
    ? paths
    : helpers.message({ custom: '{{#label}} must look like resources,modules/billing/resources' })
})

export const httpUrl = Joi.string()
  .uri({ scheme: ['http', 'https'] })
  .replace(/\/+$/, '')

/** An `@` behind the host belongs to a password that is not encoded: its parts would be shown as host and database. */
function isDatabaseUrl(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : null
  const isPostgres = url?.protocol === 'postgres:' || url?.protocol === 'postgresql:'
  return isPostgres && url.pathname.length > 1 && !`${url.pathname}${url.search}${url.hash}`.includes('@')
}
