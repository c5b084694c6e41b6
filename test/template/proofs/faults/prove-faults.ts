import type { PoolState } from '#kernel/store'
import { eventually } from '#test/support/eventually.ts'
import type { CatalogueRequest } from './catalogue.ts'
import { type Fault, mayHaveRun } from './faults.ts'
import { loanJob } from './resources.ts'
import type { Subject } from './subject.ts'

/** A fault at one driver call of one request. */
export interface FaultPoint {
  readonly request: CatalogueRequest
  /** From 1. 0 fails the opening of a connection. */
  readonly call: number
  readonly fault: Fault
}

/** The outcome of a request without faults. */
export interface CleanRun {
  readonly calls: readonly string[]
  readonly status: number
  readonly before: string
  readonly after: string
}

/** Runs a request without faults, and restores the tables. */
export async function runClean(subject: Subject, request: CatalogueRequest): Promise<CleanRun> {
  const { injector, tables } = subject
  await tables.restore()
  const before = await tables.read()
  const { status } = await sendAt(subject, request, 0, null)
  const calls = [...injector.calls]
  const after = await tables.read()
  await tables.restore()
  return { calls, status, before, after }
}

/** Runs a request with a fault. Returns the violated rules. */
export async function runPoint(subject: Subject, point: FaultPoint, clean: CleanRun): Promise<string[]> {
  const { request, call, fault } = point
  const problems: string[] = []
  const { status, text } = await sendAt(subject, request, call, fault)
  if (status < 0 || (status >= 500 && status !== 503)) problems.push(`returns ${status}: ${text.slice(0, 300)}`)
  if (call > 0 && !(await isReached(subject))) problems.push('sends fewer calls than without a fault')
  problems.push(...(await checkConnections(subject)))
  const state = await subject.tables.read()
  problems.push(...checkTables(point, clean, status, state))
  if (request.isKeyed) problems.push(...(await checkRepeat(subject, request, clean)))
  if (state !== clean.before || request.isKeyed) await subject.tables.restore()
  return problems
}

/** Waits for the call: the commit of a snapshot is sent without waiting for its answer. */
async function isReached({ injector }: Subject): Promise<boolean> {
  return eventually(() => injector.state !== 'armed', 60).catch(() => false)
}

async function sendAt(subject: Subject, request: CatalogueRequest, call: number, fault: Fault | null) {
  const { injector, client } = subject
  const prepared = await request.prepare?.(client)
  injector.arm(call, fault)
  if (call === 0 && fault) subject.refuseConnections(true)
  const response = await send(subject, request, prepared)
  if (call === 0 && fault) subject.refuseConnections(false)
  if (request.hasJob) await eventually(() => hasNoJobs(subject))
  return response
}

async function send({ client }: Subject, request: CatalogueRequest, prepared: Readonly<Record<string, string>> = {}) {
  const { method, path, body, headers } = request
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new NoResponse(`No response to ${request.name} within ${limit} s.`)),
    limit * 1000,
  )
  try {
    return await Promise.race([client.send(method, path, { body, headers: { ...headers, ...prepared } }), timeout])
  } catch (error) {
    if (error instanceof NoResponse) throw error
    return { status: -1, text: String(error) }
  } finally {
    clearTimeout(timer)
  }
}

/** Seconds. */
const limit = 60

/** The application hangs: no further point can be tried. */
export class NoResponse extends Error {}

async function hasNoJobs({ injector }: Subject): Promise<boolean> {
  const jobs = await injector.query(
    `select 1 from pgboss.job where name = '${loanJob}' and state in ('created', 'retry', 'active')`,
  )
  return jobs.length === 0
}

/** A successful write has changed the tables. A failed one has not, unless its answer was lost. */
export function checkTables(
  { request, fault, call }: FaultPoint,
  clean: CleanRun,
  status: number,
  state: string,
): string[] {
  const { before, after } = clean
  const isOk = status >= 200 && status < 300
  if (state !== before && state !== after) return [`leaves the tables neither as before nor as after:\n${state}`]
  if (before === after || request.hasJob) return []
  if (isOk && state !== after) return [`returns ${status} and leaves the tables as before`]
  if (!isOk && state === after && (call === 0 || !mayHaveRun(fault)))
    return [`returns ${status} and changes the tables`]
  return []
}

/** Checks that all connections are usable: none is lost, in use or in a transaction, and more requests than connections succeed. */
async function checkConnections(subject: Subject): Promise<string[]> {
  const isUnused = ({ total, idle, waiting }: PoolState) => total === idle && waiting === 0
  try {
    await eventually(() => subject.injector.state !== 'pending', 5)
    await eventually(async () => (!subject.pool || isUnused(subject.pool())) && (await hasNoTransactions(subject)), 5)
  } catch {
    return [`leaves connections in use: ${JSON.stringify(subject.pool?.())}`]
  }
  subject.injector.arm(0, null)
  const answers = await Promise.all(
    ['/books/2', '/shelves/2?include=books', '/books/3', '/tags'].map((path) => send(subject, { ...probe, path })),
  )
  const failed = answers.filter(({ status }) => status !== 200)
  return failed.map(({ status, text }) => `the next request returns ${status}: ${text.slice(0, 300)}`)
}

const probe: CatalogueRequest = { name: 'probe', method: 'GET', path: '/' }

/** Whether all backends of the server are outside of transactions. */
async function hasNoTransactions({ injector, pool }: Subject): Promise<boolean> {
  if (!pool) return true
  const busy = await injector.query(
    `select 1 from pg_stat_activity where datname = current_database() and state <> 'idle'
      and pid <> pg_backend_pid() and application_name <> 'jobs'`,
  )
  return busy.length === 0
}

/** A repeat with the same key succeeds, and the request has its effect once. */
async function checkRepeat(subject: Subject, request: CatalogueRequest, clean: CleanRun): Promise<string[]> {
  const { status, text } = await send(subject, request)
  const problems =
    status === clean.status ? [] : [`a repeat with the same key returns ${status}: ${text.slice(0, 300)}`]
  const state = await subject.tables.read()
  if (state !== clean.after)
    problems.push(`a repeat with the same key has not one effect:\n${compareLines(clean.after, state)}`)
  return problems
}

/** The lines that only one of two texts has. */
function compareLines(expected: string, actual: string): string {
  const [before, after] = [expected.split('\n'), actual.split('\n')]
  const missing = before.filter((line) => !after.includes(line)).map((line) => `- ${line}`)
  return [...missing, ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`)].join('\n')
}
