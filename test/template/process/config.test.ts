import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import Joi from 'joi'
import { appConfig, ConfigError, configWarnings, pluginVariables, readConfig } from '#app/config.ts'
import { plugins } from '#app/plugins.ts'

describe('configuration', () => {
  let directory: string
  let secret: string
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'config-'))
    secret = join(directory, 'secret')
    writeFileSync(secret, 'postgres://ada:s3cret@db.example/music\n')
  })
  after(() => rmSync(directory, { recursive: true }))

  it('has a default for every variable', () => {
    expect(readConfig({})).to.deep.equal({
      environment: 'development',
      host: '127.0.0.1',
      port: 3000,
      workers: 1,
      databaseUrl: null,
      databaseLimits: {
        connections: 10,
        wait: 5,
        statement: 10,
        idleTransaction: 30,
        prepared: 250,
        replicaLag: 5,
        resultBytes: 67_108_864,
      },
      databasePooler: 'none',
      replicaUrls: [],
      dataDir: '.data',
      migrationsTable: 'migrations',
      baseUri: '',
      adminBaseUri: '',
      allowedHosts: [],
      adminRequiresRole: false,
      trustProxy: false,
      debugErrors: true,
      logLevel: 'info',
      logFormat: 'text',
      disabledPlugins: [],
      resourcePaths: ['resources'],
      strictQueryParameters: true,
      bodyLimit: 1_048_576,
      receivedLimit: 134_217_728,
      unreadLimit: 134_217_728,
      limits: {
        errors: 100,
        linkageMembers: 1000,
        queryParameters: 200,
        deadline: 30_000,
      },
      headersTimeout: 10,
      requestTimeout: 30,
      keepAliveTimeout: 75,
      stop: { delay: 0, limit: 10_000 },
      variables: {},
    })
  })

  it('normalizes RESOURCE_PATHS, and accepts only folders inside the project', () => {
    expect(readConfig({ RESOURCE_PATHS: './resources/, modules/billing' }).resourcePaths).to.deep.equal([
      'resources',
      'modules/billing',
    ])
    for (const value of ['..', '/etc', 'a/../..', '.', ',']) {
      expect(() => readConfig({ RESOURCE_PATHS: value }), value).to.throw(
        'RESOURCE_PATHS must look like resources,modules/billing/resources',
      )
    }
  })

  it('passes STRICT_QUERY_PARAMETERS to the application', () => {
    expect(appConfig(readConfig({ STRICT_QUERY_PARAMETERS: 'false' })).strictQueryParameters).to.equal(false)
    expect(appConfig(readConfig({})).strictQueryParameters).to.equal(true)
  })

  it('reads variables and treats an empty one as unset', () => {
    const config = readConfig({ PORT: '0', HOST: '', DISABLED_PLUGINS: 'atomic, openapi,', TRUST_PROXY: 'true' })
    expect(config).to.include({ port: 0, host: '127.0.0.1', trustProxy: true })
    expect(config.disabledPlugins).to.deep.equal(['atomic', 'openapi'])
  })

  it('removes a trailing slash from the base URI', () => {
    expect(readConfig({ BASE_URI: 'https://music.example/api/' }).baseUri).to.equal('https://music.example/api')
  })

  it('is frozen', () => {
    const config = readConfig({})
    expect(config).to.be.frozen
    expect(config.disabledPlugins).to.be.frozen
    expect(config.variables).to.be.frozen
  })

  it('throws one error that lists all faults, a sentence each, without values', () => {
    const faults = configFaults({ PORT: 'http', DATABASE_URL: 'mysql://ada:s3cret@db/music', LOG_LEVEL: 'loud' })
    expect(faults).to.deep.equal([
      'PORT must be a number.',
      'DATABASE_URL must look like postgres://user:password@host:5432/database; special characters of the password must be percent-encoded, such as %40 for @ and %2F for /.',
      'LOG_LEVEL must be one of [fatal, error, warn, info, debug, trace, silent].',
    ])
  })

  it('refuses seconds that a timer cannot wait: after an overflow, it would not wait at all', () => {
    const names = [
      'REQUEST_DEADLINE',
      'HEADERS_TIMEOUT',
      'REQUEST_TIMEOUT',
      'KEEP_ALIVE_TIMEOUT',
      'DATABASE_WAIT_TIMEOUT',
      'STATEMENT_TIMEOUT',
      'IDLE_TRANSACTION_TIMEOUT',
      'STOP_DELAY_SECONDS',
      'STOP_SECONDS',
      'RATE_LIMIT_SECONDS',
      'JOB_DELAY_SECONDS',
      'JOB_HEARTBEAT_SECONDS',
      'JOB_STOP_SECONDS',
    ]
    const schemas = pluginVariables(plugins, {})
    const env = (seconds: number) => Object.fromEntries(names.map((name) => [name, String(seconds)]))
    expect(configFaults(env(2_147_484), schemas)).to.have.members(
      names.map((name) => `${name} must be less than or equal to 2147483.`),
    )
    expect(readConfig(env(2_147_483), schemas).limits.deadline).to.be.below(2 ** 31)
  })

  it('limits the workers to the CPU count and refuses several on the embedded database', () => {
    const DATABASE_URL = 'postgres://ada@db/music'
    expect(readConfig({ DATABASE_URL, WORKERS: 'auto' }).workers).to.equal(availableParallelism())
    expect(readConfig({ DATABASE_URL, WORKERS: '3' }).workers).to.equal(3)
    for (const WORKERS of ['auto', '2'])
      expect(configFaults({ WORKERS })).to.deep.equal(['WORKERS needs a PostgreSQL server: set DATABASE_URL as well.'])
    for (const WORKERS of ['0', '-1', '1.5', 'many', '1000'])
      expect(configFaults({ DATABASE_URL, WORKERS })).to.deep.equal(['WORKERS must be a number or auto.'])
  })

  it('accepts several replica URLs and refuses them without a primary', () => {
    const [one, other] = ['postgres://ada@one/music', 'postgres://ada@other/music']
    const DATABASE_REPLICA_URLS = `${one}, ${other}`
    const { replicaUrls } = readConfig({ DATABASE_URL: 'postgres://ada@db/music', DATABASE_REPLICA_URLS })
    expect(replicaUrls).to.deep.equal([one, other])
    expect(configFaults({ DATABASE_REPLICA_URLS })).to.deep.equal([
      'DATABASE_REPLICA_URLS needs a primary: set DATABASE_URL as well.',
    ])
    expect(
      configFaults({ DATABASE_URL: 'postgres://ada@db/music', DATABASE_REPLICA_URLS: `${one},two` }),
    ).to.deep.equal([
      'DATABASE_REPLICA_URLS must look like postgres://user:password@host:5432/database,postgres://…; special characters of the password must be percent-encoded, such as %40 for @ and %2F for /.',
    ])
  })

  it('disables prepared statements behind a connection pooler unless they are configured', () => {
    const prepared = (env: Record<string, string>) => readConfig(env).databaseLimits.prepared
    expect(prepared({ DATABASE_POOLER: 'transaction' })).to.equal(0)
    expect(prepared({ DATABASE_POOLER: 'transaction', DATABASE_PREPARED_STATEMENTS: '100' })).to.equal(100)
  })

  for (const [env, isRefused] of [
    [{ NODE_ENV: 'production' }, true],
    [{ NODE_ENV: 'production', HOST: '127.0.0.1' }, true],
    [{ HOST: '0.0.0.0' }, true],
    [{ HOST: '0.0.0.0', NODE_ENV: 'development' }, false],
    [{ NODE_ENV: 'test' }, false],
    [{}, false],
  ] as const) {
    it(`${isRefused ? 'refuses' : 'accepts'} DEBUG_ERRORS=true with ${JSON.stringify(env)}`, () => {
      const faults = configFaults({ ...env, DEBUG_ERRORS: 'true' })
      if (isRefused)
        expect(faults.join()).to.match(/^DEBUG_ERRORS cannot be true unless NODE_ENV is development or test/)
      else expect(faults).to.deep.equal([])
      expect(configFaults({ ...env, DEBUG_ERRORS: 'false' })).to.deep.equal([])
    })
  }

  for (const [env, debugErrors] of [
    [{}, true],
    [{ NODE_ENV: 'development' }, true],
    [{ NODE_ENV: 'development', HOST: '::1' }, true],
    [{ NODE_ENV: 'development', HOST: '0.0.0.0' }, false],
    [{ HOST: '0.0.0.0' }, false],
    [{ NODE_ENV: 'test' }, false],
    [{ NODE_ENV: 'production' }, false],
  ] as const) {
    it(`sets DEBUG_ERRORS to ${debugErrors} by default with ${JSON.stringify(env)}`, () => {
      expect(readConfig(env).debugErrors).to.equal(debugErrors)
    })
  }

  it('reads the allowed hosts in lower case and refuses an invalid host', () => {
    const { allowedHosts } = readConfig({ ALLOWED_HOSTS: 'API.example.com, www.example.com:8443,[::1]' })
    expect(allowedHosts).to.deep.equal(['api.example.com', 'www.example.com:8443', '[::1]'])
    for (const ALLOWED_HOSTS of ['https://api.example.com', 'ada@example.com', 'a b', '*']) {
      expect(configFaults({ ALLOWED_HOSTS })).to.deep.equal([
        'ALLOWED_HOSTS must look like api.example.com,www.example.com:8443.',
      ])
    }
  })

  describe('in production', () => {
    const production = {
      NODE_ENV: 'production',
      DATABASE_URL: 'postgres://localhost/music',
      BASE_URI: 'https://api.example',
    }
    const warnings = (env: Record<string, string>) => configWarnings(readConfig({ ...production, ...env }))

    it('warns if links depend on the Host header', () => {
      expect(warnings({ BASE_URI: '' })).to.have.length(1)
      expect(warnings({ BASE_URI: '' })[0]).to.match(/^Links are built from the Host header/)
      expect(warnings({ BASE_URI: '', ALLOWED_HOSTS: 'api.example.com' })).to.deep.equal([])
      expect(warnings({})).to.deep.equal([])
    })

    it('warns if the embedded database is used', () => {
      expect(warnings({ DATABASE_URL: '', DATA_DIR: '/data' })).to.deep.equal([
        'DATABASE_URL is not set: the embedded database in /data is used, which is created if it does not exist. Set DATABASE_URL to use a PostgreSQL server.',
      ])
    })

    it('does not warn in development', () => {
      expect(configWarnings(readConfig({}))).to.deep.equal([])
    })
  })

  for (const password of ['s3cret/part', '5432/part', 's3@cret/part', '5432/p?art', '5432/p#art']) {
    it(`refuses a DATABASE_URL whose password is not percent-encoded, without a part of it: ${password}`, () => {
      const url = `postgres://ada:${password}@db.example/music`
      for (const faults of [
        configFaults({ DATABASE_URL: url }),
        configFaults({ DATABASE_URL: 'postgres://db/music', DATABASE_REPLICA_URLS: url }),
      ]) {
        expect(faults).to.have.length(1)
        expect(faults[0])
          .to.include('must be percent-encoded')
          .and.not.to.match(/s3|5432\/p|part/)
      }
      const encoded = `postgres://ada:${encodeURIComponent(password)}@db.example/music`
      expect(readConfig({ DATABASE_URL: encoded }).databaseUrl).to.equal(encoded)
    })
  }

  it('refuses a DATABASE_URL without a database name', () => {
    expect(configFaults({ DATABASE_URL: 'postgres://localhost' })).to.have.length(1)
  })

  it('reads a secret from the file that its _FILE variable names', () => {
    expect(readConfig({ DATABASE_URL_FILE: secret }).databaseUrl).to.equal('postgres://ada:s3cret@db.example/music')
  })

  it('refuses a variable together with its _FILE variable, and an unreadable file', () => {
    const both = configFaults({ DATABASE_URL: 'postgres://localhost/music', DATABASE_URL_FILE: secret })
    expect(both).to.deep.equal(['DATABASE_URL and DATABASE_URL_FILE are both set; keep one of them.'])
    const missing = join(directory, 'missing')
    expect(configFaults({ DATABASE_URL_FILE: missing })).to.deep.equal([
      `DATABASE_URL_FILE names ${missing}, which cannot be read (ENOENT).`,
    ])
  })

  it('includes the variables of plugins, their _FILE variables and their faults', () => {
    const schemas = { JWT_SECRET: Joi.string().min(3).required(), JWT_LEEWAY: Joi.number().default(5) }
    expect(readConfig({ JWT_SECRET_FILE: secret, OTHER: 'x' }, schemas).variables).to.deep.equal({
      JWT_SECRET: 'postgres://ada:s3cret@db.example/music',
      JWT_LEEWAY: 5,
    })
    expect(configFaults({ PORT: '-1' }, schemas)).to.deep.equal([
      'PORT must be a valid port.',
      'JWT_SECRET is required.',
    ])
  })

  it('ignores the variables of disabled plugins', () => {
    const plugins = [
      { name: 'tokens', environment: { JWT_SECRET: Joi.string().required() } },
      { name: 'mail', environment: { MAIL_HOST: Joi.string().required() } },
      { name: 'sorting' },
    ]
    expect(Object.keys(pluginVariables(plugins, {}))).to.deep.equal(['JWT_SECRET', 'MAIL_HOST'])
    const env = { DISABLED_PLUGINS: 'sorting, tokens' }
    expect(Object.keys(pluginVariables(plugins, env))).to.deep.equal(['MAIL_HOST'])
    expect(configFaults(env, pluginVariables(plugins, env))).to.deep.equal(['MAIL_HOST is required.'])
  })
})

function configFaults(env: Record<string, string>, schemas: Joi.SchemaMap = {}): readonly string[] {
  try {
    readConfig(env, schemas)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    expect(error.message.split('\n').slice(1)).to.deep.equal(error.faults.map((fault) => `- ${fault}`))
    return error.faults
  }
  return []
}
