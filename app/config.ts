import Joi from 'joi'
import type { RequestLimits } from '#kernel/operations'
import { type AppConfig, maxTimerSeconds, type Plugin } from '#kernel/plugin'
import type { DrainLimits } from '#kernel/store'
import { splitList } from '#query'
import type { DatabaseLimits } from '#store'
import {
  databaseUrl,
  type Environment,
  hostList,
  httpUrl,
  nameList,
  pathList,
  readEnvironment,
  replicaUrls,
  workerCount,
} from './process/environment.ts'

export { ConfigError } from './process/environment.ts'

export interface Config {
  readonly environment: 'development' | 'test' | 'production'
  readonly host: string
  readonly port: number
  /** Number of worker processes. */
  readonly workers: number
  /** Null is the embedded database. */
  readonly databaseUrl: string | null
  readonly databaseLimits: DatabaseLimits
  readonly databasePooler: 'none' | 'transaction'
  /** Replicas of the primary server in `databaseUrl`. */
  readonly replicaUrls: readonly string[]
  readonly dataDir: string
  /** The table of the applied migrations. */
  readonly migrationsTable: string
  readonly baseUri: string
  readonly adminBaseUri: string
  /** Accepted hosts, in lower case; empty accepts any. */
  readonly allowedHosts: readonly string[]
  /** Whether the server `admin` requires the role `admin`. */
  readonly adminRequiresRole: boolean
  readonly trustProxy: boolean
  readonly debugErrors: boolean
  readonly logLevel: string
  /** `text` for people, `json` for programs. */
  readonly logFormat: 'text' | 'json'
  readonly disabledPlugins: readonly string[]
  /** The folders that hold the resource folders, relative to the project. */
  readonly resourcePaths: readonly string[]
  /** Whether unknown query parameters and unknown members of `fields` are a 400. */
  readonly strictQueryParameters: boolean
  readonly bodyLimit: number
  readonly receivedLimit: number
  readonly unreadLimit: number
  /** Limits of one request. */
  readonly limits: RequestLimits
  /** In seconds. */
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly keepAliveTimeout: number
  readonly stop: DrainLimits
  /** Environment variables of plugins, by name. */
  readonly variables: Readonly<Record<string, unknown>>
}

/** A number that 0 disables. */
const limit = (value: number) => Joi.number().integer().min(0).default(value)

const seconds = Joi.number().max(maxTimerSeconds)

/** The environment variables of the application. The variables of plugins are in their folders. */
const variables = {
  NODE_ENV: Joi.string().valid('development', 'test', 'production').default('development'),
  HOST: Joi.string().hostname().default('127.0.0.1'),
  PORT: Joi.number().port().default(3000),
  WORKERS: workerCount.default(1),
  DATABASE_URL: databaseUrl.default(null),
  DATABASE_REPLICA_URLS: replicaUrls.default([]),
  DATABASE_REPLICA_LAG: Joi.number().positive().default(5),
  DATABASE_POOLER: Joi.string().valid('none', 'transaction').default('none'),
  DATABASE_PREPARED_STATEMENTS: Joi.number()
    .integer()
    .min(0)
    .default(({ DATABASE_POOLER }) => (DATABASE_POOLER === 'transaction' ? 0 : 250)),
  DATA_DIR: Joi.string().default('.data'),
  MIGRATIONS_TABLE: Joi.string()
    .pattern(/^[a-z_][a-z0-9_]{0,62}$/)
    .default('migrations'),
  BASE_URI: httpUrl.default(''),
  ADMIN_BASE_URI: httpUrl.default(''),
  ALLOWED_HOSTS: hostList.default([]),
  ADMIN_REQUIRES_ROLE: Joi.boolean().default(Joi.ref('$isDevelopment', { adjust: (isDevelopment) => !isDevelopment })),
  TRUST_PROXY: Joi.boolean().default(false),
  DEBUG_ERRORS: Joi.boolean()
    .default(Joi.ref('$isLocalDevelopment'))
    .when('$isDevelopment', { is: true, otherwise: Joi.invalid(true) })
    .messages({
      'any.invalid':
        '{{#label}} cannot be true unless NODE_ENV is development or test, or NODE_ENV is unset and HOST is a loopback address: error documents would show stack traces to clients',
    }),
  LOG_LEVEL: Joi.string().valid('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
  LOG_FORMAT: Joi.string()
    .valid('text', 'json')
    .default(({ NODE_ENV }) => (NODE_ENV === 'development' ? 'text' : 'json')),
  DISABLED_PLUGINS: nameList.default([]),
  RESOURCE_PATHS: pathList.default(['resources']),
  STRICT_QUERY_PARAMETERS: Joi.boolean().default(true),
  BODY_LIMIT: Joi.number().integer().min(1).default(1_048_576),
  MAX_RECEIVED_BYTES: limit(134_217_728),
  MAX_UNREAD_BYTES: limit(134_217_728),
  MAX_RESULT_BYTES: limit(67_108_864),
  MAX_ERRORS: limit(100),
  MAX_LINKAGE_MEMBERS: limit(1000),
  MAX_QUERY_PARAMETERS: limit(200),
  REQUEST_DEADLINE: seconds.min(0).default(30),
  HEADERS_TIMEOUT: seconds.positive().default(10),
  REQUEST_TIMEOUT: seconds.positive().default(30),
  KEEP_ALIVE_TIMEOUT: seconds.positive().default(75),
  DATABASE_POOL_SIZE: Joi.number().integer().min(1).default(10),
  DATABASE_WAIT_TIMEOUT: seconds.positive().default(5),
  STATEMENT_TIMEOUT: seconds.positive().default(10),
  IDLE_TRANSACTION_TIMEOUT: seconds.positive().default(30),
  STOP_DELAY_SECONDS: seconds.min(0).default(({ NODE_ENV }) => (NODE_ENV === 'production' ? 2 : 0)),
  STOP_SECONDS: seconds.positive().default(10),
} satisfies Joi.SchemaMap

/** Reads the environment once. Throws a ConfigError with all faults. */
export function readConfig(env: Environment = process.env, pluginSchemas: Joi.SchemaMap = {}): Config {
  const secrets = ['DATABASE_URL', 'DATABASE_REPLICA_URLS', ...Object.keys(pluginSchemas)]
  return toConfig(readEnvironment(env, { ...variables, ...pluginSchemas }, secrets), Object.keys(pluginSchemas))
}

/** Warnings about a valid configuration, for operators. */
export function configWarnings(config: Config): readonly string[] {
  if (config.environment !== 'production') return []
  const warnings: string[] = []
  if (!config.baseUri && config.allowedHosts.length === 0) {
    warnings.push(
      'Links are built from the Host header of each request; set BASE_URI, or ALLOWED_HOSTS to the hosts to accept.',
    )
  }
  if (config.databaseUrl === null) {
    warnings.push(
      `DATABASE_URL is not set: the embedded database in ${config.dataDir} is used, which is created if it does not exist. Set DATABASE_URL to use a PostgreSQL server.`,
    )
  }
  return warnings
}

/** The environment variables of the enabled plugins. */
export function pluginVariables(plugins: readonly Plugin[], env: Environment): Joi.SchemaMap {
  const disabled = splitList(env.DISABLED_PLUGINS ?? '')
  const enabled = plugins.filter(({ name }) => !disabled.includes(name))
  return Object.assign({}, ...enabled.map(({ environment }) => environment))
}

/** The part of the configuration that the kernel needs. */
export function appConfig(config: Config): AppConfig {
  const { bodyLimit, receivedLimit, unreadLimit, limits, debugErrors, trustProxy, allowedHosts, variables } = config
  const timeouts = {
    headers: config.headersTimeout * 1000,
    request: config.requestTimeout * 1000,
    keepAlive: config.keepAliveTimeout * 1000,
  }
  const production = config.environment === 'production'
  return {
    bodyLimit,
    receivedLimit,
    unreadLimit,
    limits,
    timeouts,
    production,
    debug: debugErrors,
    trustProxy,
    allowedHosts,
    strictQueryParameters: config.strictQueryParameters,
    variables,
  }
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
      resultBytes: value.MAX_RESULT_BYTES,
    },
    databasePooler: value.DATABASE_POOLER,
    replicaUrls: Object.freeze(value.DATABASE_REPLICA_URLS),
    dataDir: value.DATA_DIR,
    migrationsTable: value.MIGRATIONS_TABLE,
    baseUri: value.BASE_URI,
    adminBaseUri: value.ADMIN_BASE_URI,
    allowedHosts: Object.freeze(value.ALLOWED_HOSTS),
    adminRequiresRole: value.ADMIN_REQUIRES_ROLE,
    trustProxy: value.TRUST_PROXY,
    debugErrors: value.DEBUG_ERRORS,
    logLevel: value.LOG_LEVEL,
    logFormat: value.LOG_FORMAT,
    disabledPlugins: Object.freeze(value.DISABLED_PLUGINS),
    resourcePaths: Object.freeze(value.RESOURCE_PATHS),
    strictQueryParameters: value.STRICT_QUERY_PARAMETERS,
    bodyLimit: value.BODY_LIMIT,
    receivedLimit: value.MAX_RECEIVED_BYTES,
    unreadLimit: value.MAX_UNREAD_BYTES,
    limits: {
      errors: value.MAX_ERRORS,
      linkageMembers: value.MAX_LINKAGE_MEMBERS,
      queryParameters: value.MAX_QUERY_PARAMETERS,
      deadline: Number(value.REQUEST_DEADLINE) * 1000,
    },
    headersTimeout: value.HEADERS_TIMEOUT,
    requestTimeout: value.REQUEST_TIMEOUT,
    keepAliveTimeout: value.KEEP_ALIVE_TIMEOUT,
    stop: { delay: Number(value.STOP_DELAY_SECONDS) * 1000, limit: Number(value.STOP_SECONDS) * 1000 },
    variables: Object.freeze(Object.fromEntries(pluginVariables.map((name) => [name, value[name]]))),
  } as Config)
}
