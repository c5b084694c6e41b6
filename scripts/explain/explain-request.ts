import type { AddressInfo } from 'node:net'
import { appConfig } from '#app/config.ts'
import { plugins } from '#app/plugins.ts'
import type { App, Logger, Plugin, Principal } from '#kernel/plugin'
import { createStore, type Database, hasTransactionListeners, pendingMigrations, StartupError } from '#store'
import { type Catalog, readCatalog } from '../support/catalog.ts'
import { createProjectApp, type Project } from '../support/project.ts'
import { indexCandidates } from './index-candidates.ts'
import { redactText, withoutValues } from './plan.ts'
import { beginRehearsal, type ExplainedStatement, type Rehearsal } from './rehearsal.ts'
import { type Answer, type RequestToExplain, sendRequest } from './send-request.ts'
import { notTried, type Trial, tryIndex } from './try-index.ts'

export interface ExplainOptions {
  /** The principal of the request, without a token; null for the one of its `Authorization` header. */
  readonly principal: Principal | null
  /** Whether the request may write. */
  readonly writes: boolean
  /** Whether indexes are created, and rolled back, to explain the statements with them. */
  readonly triesIndexes: boolean
  /** Whether plans contain values of clients and rows. */
  readonly showsValues: boolean
}

export interface Explanation {
  readonly request: RequestToExplain
  readonly answer: Answer
  /** Errors that the application has logged. */
  readonly errors: readonly string[]
  readonly statements: readonly (ExplainedStatement & { readonly trials: readonly Trial[] })[]
  /** Texts of statements that were sent on other connections. */
  readonly otherStatements: readonly string[]
}

const safeMethods = ['GET', 'HEAD', 'OPTIONS']

/** Runs the request in this process, in a transaction that is rolled back, and explains its statements. */
export async function explainRequest(
  project: Project,
  request: RequestToExplain,
  options: ExplainOptions,
): Promise<Explanation> {
  const { database } = project
  await checkDatabase(database, request, options)
  const rehearsal = await beginRehearsal(database, options)
  const { statements, ...outcome } = await runRequest(project, rehearsal, request, options).finally(() =>
    rehearsal.rollBack(),
  )
  const catalog = await readCatalog(database.orm)
  const explained = []
  for (const statement of statements) {
    const trials = await runTrials(database, statement, catalog, options)
    explained.push({ ...(options.showsValues ? statement : redact(statement)), trials: trials.map(redactTrial) })
  }
  const otherStatements = rehearsal.otherStatements().map((sql) => (options.showsValues ? sql : redactText(sql)))
  return { request, ...outcome, statements: explained, otherStatements }

  function redactTrial(trial: Trial): Trial {
    return options.showsValues || !trial.plan ? trial : { ...trial, plan: withoutValues(trial.plan) }
  }
}

async function checkDatabase(database: Database, { method }: RequestToExplain, { writes }: ExplainOptions) {
  if (!safeMethods.includes(method) && !writes) {
    throw new StartupError(`${method} may write. --writes explains it in a transaction that is rolled back.`)
  }
  const pending = await pendingMigrations(database)
  if (pending.length > 0) throw new StartupError(`Migrations are pending: ${pending.join(', ')}. Run npm run migrate.`)
  if (writes && hasTransactionListeners(database.orm)) {
    throw new StartupError(
      'A subscriber of MikroORM listens to transaction events: writes use a transaction of MikroORM, which cannot be rolled back here.',
    )
  }
}

async function runRequest(
  { config, discovery, database }: Project,
  rehearsal: Rehearsal,
  request: RequestToExplain,
  { principal }: ExplainOptions,
): Promise<Pick<Explanation, 'answer' | 'errors'> & { statements: readonly ExplainedStatement[] }> {
  const { query, connectForWrite, beginSnapshot } = rehearsal
  const store = createStore({ orm: database.orm, query, connectForWrite, beginSnapshot })
  const settings = appConfig(config)
  const errors: string[] = []
  const app = await createProjectApp(config, discovery, {
    store: { ...store, queue: { ...store.queue, ...idleQueue } },
    logger: errorLogger(errors),
    plugins: principal ? [...plugins, impersonate(principal)] : plugins,
    config: {
      ...settings,
      allowedHosts: [],
      limits: { ...settings.limits, deadline: 0 }, // EXPLAIN executes every statement twice
      variables: { ...settings.variables, ...unlimitedLoad },
    },
  })
  try {
    const booted = rehearsal.statements.length
    const answer = await sendTo(app, request)
    return { answer, errors, statements: rehearsal.statements.slice(booted) }
  } finally {
    await app.close()
  }
}

async function sendTo(app: App, request: RequestToExplain): Promise<Answer> {
  const server = await app.listen(0, '127.0.0.1')
  try {
    return await sendRequest((server.address() as AddressInfo).port, request)
  } finally {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
}

/** Keeps the messages of errors; other entries are not needed. */
function errorLogger(errors: string[]): Logger {
  const ignore = () => {}
  const error = ({ err }: { err?: Error }, message: string) => void errors.push(err?.message ?? message)
  return { info: ignore, warn: ignore, error }
}

/** Has no workers, so that no job is enqueued or run: the queue has connections of its own, which commit. */
const idleQueue = { assign: () => {}, repeat: () => {}, start: async () => {} }

/** The start of the application delays the event loop, and the request must not count for clients of the service. */
const unlimitedLoad = { RATE_LIMIT: 0, MAX_EVENT_LOOP_DELAY: 0, METRICS_PORT: undefined }

/** Runs after the plugins that authenticate. */
function impersonate(principal: Principal): Plugin {
  return {
    name: 'explain',
    onRoute({ ctx }) {
      ctx.state.principal = principal
    },
  }
}

async function runTrials(
  database: Database,
  statement: ExplainedStatement,
  catalog: Catalog,
  { triesIndexes }: ExplainOptions,
): Promise<Trial[]> {
  if (!statement.plan || !/^select\b/i.test(statement.sql)) return []
  const trials: Trial[] = []
  for (const candidate of indexCandidates(statement.plan.Plan, catalog)) {
    const isTried = triesIndexes && !candidate.exists
    trials.push(isTried ? await tryIndex(database, statement, candidate) : notTried(candidate))
  }
  return trials
}

function redact(statement: ExplainedStatement): ExplainedStatement {
  const { sql, plan, parameters, failure } = statement
  return {
    ...statement,
    sql: redactText(sql),
    parameters: parameters.map(() => null),
    plan: plan && withoutValues(plan),
    failure: failure && redactText(failure.replace(/: "[^"]*"/g, ': ?')), // invalid input syntax for type integer: "…"
  }
}
