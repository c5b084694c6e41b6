import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import Joi from 'joi'
import { type AppConfig, isLoopback, isValidHost, type Plugin, type RequestLimits } from '#kernel/plugin'
import type { DrainLimits } from '#kernel/store'
import type { DatabaseLimits } from '#store'

export interface Config {
  readonly environment: 'development' | 'test' | 'production'
  readonly host: string
  readonly port: number
  /** Processes that serve. */
  readonly workers: number
  /** Null means the embedded database. */
  readonly databaseUrl: string | null
  readonly databaseLimits: DatabaseLimits
  readonly databasePooler: 'none' | 'transaction'
  /** Standbys of the server of `databaseUrl`. */
  readonly replicaUrls: readonly string[]
  readonly dataDir: string
  readonly baseUri: string
  readonly adminBaseUri: string
  /** The hosts that requests may name, in lower case; empty means any. */
  readonly allowedHosts: readonly string[]
  /** The server `admin` is only for principals with the role of that name. */
  readonly adminRequiresRole: boolean
  readonly trustProxy: boolean
  readonly debugErrors: boolean
  readonly logLevel: string
  readonly disabledPlugins: readonly string[]
  readonly bodyLimit: number
  /** The budget of one request. */
  readonly limits: RequestLimits
  /** In seconds. */
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly keepAliveTimeout: number
  readonly stop: DrainLimits
  /** The variables of plugins, by name. */
  readonly variables: Readonly<Record<string, unknown>>
}

type Environment = Readonly<Record<string, string | undefined>>

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(['The environment is not usable:', ...faults.map((fault) => `- ${fault}`)].join('\n'))
    this.faults = faults
  }
}

const uri = Joi.string()
  .uri({ scheme: ['http', 'https'] })
  .replace(/\/+$/, '')
  .default('')

/** A count that 0 switches off. */
const limit = (value: number) => Joi.number().integer().min(0).default(value)

const core = {
  NODE_ENV: Joi.string().valid('development', 'test', 'production').default('development'),
  HOST: Joi.string().hostname().default('127.0.0.1'),
  PORT: Joi.number().port().default(3000),
  WORKERS: Joi.string().custom(countWorkers).default(1),
  DATABASE_URL: Joi.string().custom(checkDatabaseUrl).default(null),
  DATABASE_REPLICA_URLS: Joi.string().custom(checkReplicaUrls).default([]),
  DATABASE_REPLICA_LAG: Joi.number().positive().default(5),
  DATABASE_POOLER: Joi.string().valid('none', 'transaction').default('none'),
  DATABASE_PREPARED_STATEMENTS: Joi.number()
    .integer()
    .min(0)
    .default(({ DATABASE_POOLER }) => (DATABASE_POOLER === 'transaction' ? 0 : 250)),
  DATA_DIR: Joi.string().default('.data'),
  BASE_URI: uri,
  ADMIN_BASE_URI: uri,
  ALLOWED_HOSTS: Joi.string().lowercase().custom(checkHosts).default([]),
  ADMIN_REQUIRES_ROLE: Joi.boolean().default(Joi.ref('$isDevelopment', { adjust: (isDevelopment) => !isDevelopment })),
  TRUST_PROXY: Joi.boolean().default(false),
  DEBUG_ERRORS: Joi.boolean()
    .default(false)
    .when('$isDevelopment', { is: true, otherwise: Joi.invalid(true) })
    .messages({
      'any.invalid':
        '{{#label}} cannot be true unless NODE_ENV is development or test, or NODE_ENV is unset and HOST is a loopback address: error documents would show stack traces to clients',
    }),
  LOG_LEVEL: Joi.string().valid('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
  DISABLED_PLUGINS: Joi.string().custom(splitList).default([]),
  BODY_LIMIT: Joi.number().integer().min(1).default(1_048_576),
  MAX_ERRORS: limit(100),
  MAX_ERROR_BYTES: limit(200_000),
  MAX_LINKAGE_MEMBERS: limit(1000),
  MAX_DOCUMENT_RESOURCES: limit(5000),
  MAX_DOCUMENT_IDENTIFIERS: limit(20_000),
  MAX_FILTER_VALUES: limit(100),
  MAX_SORT_KEYS: limit(10),
  MAX_INCLUDE_PATHS: limit(50),
  MAX_SEARCH_WORDS: limit(10),
  MAX_QUERY_PARAMETERS: limit(200),
  MAX_RELATED_QUERY_LENGTH: limit(2000),
  REQUEST_DEADLINE: Joi.number().min(0).default(30),
  HEADERS_TIMEOUT: Joi.number().positive().default(10),
  REQUEST_TIMEOUT: Joi.number().positive().default(30),
  KEEP_ALIVE_TIMEOUT: Joi.number().positive().default(75),
  DATABASE_POOL_SIZE: Joi.number().integer().min(1).default(10),
  DATABASE_WAIT_TIMEOUT: Joi.number().positive().default(5),
  STATEMENT_TIMEOUT: Joi.number().positive().default(10),
  IDLE_TRANSACTION_TIMEOUT: Joi.number().positive().default(30),
  STOP_DELAY_SECONDS: Joi.number()
    .min(0)
    .default(({ NODE_ENV }) => (NODE_ENV === 'production' ? 2 : 0)),
  STOP_SECONDS: Joi.number().positive().default(10),
} satisfies Joi.SchemaMap

/** Reads the environment once. All faults are reported together; none of them repeats a value. */
export function readConfig(env: Environment = process.env, pluginSchemas: Joi.SchemaMap = {}): Config {
  const faults: string[] = []
  const given = withFiles(env, ['DATABASE_URL', 'DATABASE_REPLICA_URLS', ...Object.keys(pluginSchemas)], faults)
  const { value, error } = Joi.object({ ...core, ...pluginSchemas }).validate(given, {
    context: circumstancesOf(given),
    abortEarly: false,
    stripUnknown: true,
    errors: { wrap: { label: false } },
    messages: { 'string.pattern.base': '{{#label}} does not have the required form' },
  })
  faults.push(...(error?.details ?? []).map(({ message }) => `${message}.`))
  if (faults.length > 0) throw new ConfigError(faults)
  return toConfig(value, Object.keys(pluginSchemas))
}

/** What schemas refer to as `$isDevelopment` and `$isProduction`. */
interface Circumstances {
  /** Set explicitly, or implied by a service that only this machine can reach. */
  readonly isDevelopment: boolean
  readonly isProduction: boolean
}

/** An unset NODE_ENV means development only on a loopback address: elsewhere it may have been forgotten. */
function circumstancesOf({ NODE_ENV, HOST }: Environment): Circumstances {
  const isLocal = HOST === undefined || isLoopback(HOST)
  return {
    isDevelopment: NODE_ENV === undefined ? isLocal : NODE_ENV === 'development' || NODE_ENV === 'test',
    isProduction: NODE_ENV === 'production',
  }
}

/** What an operator should know of a configuration that is usable. */
export function configWarnings({ environment, baseUri, allowedHosts }: Config): readonly string[] {
  if (environment !== 'production' || baseUri || allowedHosts.length > 0) return []
  return [
    'Links are built from the Host header of each request; set BASE_URI, or ALLOWED_HOSTS to the hosts to accept.',
  ]
}

/** The variables of the plugins that are on. */
export function pluginVariables(plugins: readonly Plugin[], env: Environment): Joi.SchemaMap {
  const off = splitList(env.DISABLED_PLUGINS ?? '')
  return Object.assign({}, ...plugins.filter(({ name }) => !off.includes(name)).map(({ environment }) => environment))
}

/** The part that the kernel works with. */
export function appConfig(config: Config): AppConfig {
  const { bodyLimit, limits, debugErrors, trustProxy, allowedHosts, variables } = config
  const timeouts = {
    headers: config.headersTimeout * 1000,
    request: config.requestTimeout * 1000,
    keepAlive: config.keepAliveTimeout * 1000,
  }
  const production = config.environment === 'production'
  return {
    bodyLimit,
    limits,
    timeouts,
    production,
    debug: debugErrors,
    trustProxy,
    allowedHosts,
    strictQueryParameters: true,
    variables,
  }
}

/** An empty variable counts as unset; a secret may stand in the file that its `_FILE` twin names. */
function withFiles(env: Environment, secrets: readonly string[], faults: string[]): Record<string, string> {
  const given = Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  for (const name of secrets) {
    const file = given[`${name}_FILE`]
    if (file === undefined) continue
    if (given[name] !== undefined) faults.push(`${name} and ${name}_FILE are both set; keep one of them.`)
    else readSecret(given, name, file, faults)
  }
  return given
}

function readSecret(given: Record<string, string>, name: string, file: string, faults: string[]): void {
  try {
    given[name] = readFileSync(file, 'utf8').trim()
  } catch (error) {
    faults.push(`${name}_FILE names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

/** The embedded database is for one process. */
function countWorkers(value: string, helpers: Joi.CustomHelpers): unknown {
  if (!/^(auto|[1-9]\d{0,2})$/.test(value)) return helpers.message({ custom: '{{#label}} must be a number or auto' })
  if (value !== '1' && !helpers.state.ancestors[0].DATABASE_URL)
    return helpers.message({ custom: '{{#label}} needs a PostgreSQL server: set DATABASE_URL as well' })
  return value === 'auto' ? availableParallelism() : Number(value)
}

function checkDatabaseUrl(value: string, helpers: Joi.CustomHelpers): unknown {
  return isDatabaseUrl(value)
    ? value
    : helpers.message({ custom: '{{#label}} must look like postgres://user:password@host:5432/database' })
}

function isDatabaseUrl(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : null
  const isPostgres = url?.protocol === 'postgres:' || url?.protocol === 'postgresql:'
  return isPostgres && url.pathname.length > 1
}

function checkReplicaUrls(value: string, helpers: Joi.CustomHelpers): unknown {
  const urls = splitList(value)
  if (!helpers.state.ancestors[0].DATABASE_URL)
    return helpers.message({ custom: '{{#label}} needs a primary: set DATABASE_URL as well' })
  return urls.find((url) => !isDatabaseUrl(url)) === undefined
    ? urls
    : helpers.message({ custom: '{{#label}} must look like postgres://user:password@host:5432/database,postgres://…' })
}

function checkHosts(value: string, helpers: Joi.CustomHelpers): unknown {
  const hosts = splitList(value)
  return hosts.every(isValidHost)
    ? hosts
    : helpers.message({ custom: '{{#label}} must look like api.example.com,www.example.com:8443' })
}

function splitList(value: string): readonly string[] {
  return value.split(',').flatMap((part) => part.trim() || [])
}

function toConfig(value: Record<string, unknown>, pluginVariables: readonly string[]): Config {
  return Object.freeze({
    environment: value.NODE_ENV,
    host: value.HOST,
    port: value.PORT,
    workers: value.WORKERS,
    databaseUrl: value.DATABASE_URL,
    databaseLimits: {
      connections: value.DATABASE_POOL_SIZE,
      wait: value.DATABASE_WAIT_TIMEOUT,
      statement: value.STATEMENT_TIMEOUT,
      idleTransaction: value.IDLE_TRANSACTION_TIMEOUT,
      prepared: value.DATABASE_PREPARED_STATEMENTS,
      replicaLag: value.DATABASE_REPLICA_LAG,
    },
    databasePooler: value.DATABASE_POOLER,
    replicaUrls: Object.freeze(value.DATABASE_REPLICA_URLS),
    dataDir: value.DATA_DIR,
    baseUri: value.BASE_URI,
    adminBaseUri: value.ADMIN_BASE_URI,
    allowedHosts: Object.freeze(value.ALLOWED_HOSTS),
    adminRequiresRole: value.ADMIN_REQUIRES_ROLE,
    trustProxy: value.TRUST_PROXY,
    debugErrors: value.DEBUG_ERRORS,
    logLevel: value.LOG_LEVEL,
    disabledPlugins: Object.freeze(value.DISABLED_PLUGINS),
    bodyLimit: value.BODY_LIMIT,
    limits: {
      errors: value.MAX_ERRORS,
      errorBytes: value.MAX_ERROR_BYTES,
      linkageMembers: value.MAX_LINKAGE_MEMBERS,
      documentResources: value.MAX_DOCUMENT_RESOURCES,
      documentIdentifiers: value.MAX_DOCUMENT_IDENTIFIERS,
      filterValues: value.MAX_FILTER_VALUES,
      sortKeys: value.MAX_SORT_KEYS,
      includePaths: value.MAX_INCLUDE_PATHS,
      searchWords: value.MAX_SEARCH_WORDS,
      queryParameters: value.MAX_QUERY_PARAMETERS,
      relatedQueryLength: value.MAX_RELATED_QUERY_LENGTH,
      deadline: Number(value.REQUEST_DEADLINE) * 1000,
    },
    headersTimeout: value.HEADERS_TIMEOUT,
    requestTimeout: value.REQUEST_TIMEOUT,
    keepAliveTimeout: value.KEEP_ALIVE_TIMEOUT,
    stop: { delay: Number(value.STOP_DELAY_SECONDS) * 1000, limit: Number(value.STOP_SECONDS) * 1000 },
    variables: Object.freeze(Object.fromEntries(pluginVariables.map((name) => [name, value[name]]))),
  } as Config)
}
