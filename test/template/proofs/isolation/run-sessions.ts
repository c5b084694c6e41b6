import { setTimeout } from 'node:timers/promises'
import { type ReplicatedPostgres, startReplicatedPostgres } from '#test/template/support/replicated-postgres.ts'
import { startTcpProxy, type TcpProxy } from '#test/template/support/tcp-proxy.ts'
import { type ListService, startListService } from '../list-service/start-service.ts'
import { checkHistory } from './check-history.ts'
import { checkSessions } from './check-sessions.ts'
import { formatAnomaly } from './format-anomaly.ts'
import { recordHistory } from './workload.ts'

export interface SessionsResult {
  readonly failure: Failure
  transactions: number
  operations: number
  /** Violated guarantees and anomalies, by kind. */
  readonly counts: Record<string, number>
  /** Those that should not occur, with the seed of their round. */
  readonly violations: { readonly seed: number; readonly text: string }[]
}

export interface SessionsOptions {
  readonly rounds: number
  readonly seed: number
}

/** Two processes, a primary and a replica. */
interface Deployment {
  readonly servers: ReplicatedPostgres
  /** The address of the primary. */
  readonly proxy: TcpProxy
  readonly services: ListService[]
  restart(index: number): Promise<void>
}

const perRound = 300
const clients = 8

interface Failure {
  readonly name: string
  /** Runs while the clients read and write. */
  readonly run: (deployment: Deployment) => Promise<void>
  /** Guarantees that do not hold: replicas without synchronous replication may be behind what a client has seen. */
  readonly mayOccur: readonly string[]
}

/** A long fork (G2-item): reads of the primary and of a replica may show two commits in opposite orders. */
const asynchronous = ['monotonic-reads', 'G2-item']
const synchronous = ['G2-item']

/** With asynchronous replication. */
const failures: readonly Failure[] = [
  { name: 'the replica lags by 50 ms', run: ({ servers }) => servers.delay(50), mayOccur: asynchronous },
  {
    name: 'the replica lags by half a second',
    run: async ({ servers }) => {
      await servers.delay(500)
      await setTimeout(3_000)
    },
    mayOccur: asynchronous,
  },
  {
    name: 'the replica pauses replay',
    run: async ({ servers }) => {
      await servers.delay(0)
      await servers.hold()
      await setTimeout(1_000)
      await servers.follow()
    },
    mayOccur: asynchronous,
  },
  {
    name: 'the replica stops and restarts',
    run: async ({ servers }) => {
      await servers.stopStandby()
      await setTimeout(500)
      await servers.startStandby()
      await setTimeout(500)
    },
    mayOccur: asynchronous,
  },
  { name: 'a process is killed and restarts', run: ({ restart }) => restart(1), mayOccur: asynchronous },
]

/** With synchronous replication (`remote_apply`). The failover comes last, because it leaves no replica. */
const synchronousFailures: readonly Failure[] = [
  { name: 'synchronous: a process is killed and restarts', run: ({ restart }) => restart(0), mayOccur: synchronous },
  {
    name: 'synchronous: the primary fails over to the replica',
    run: async ({ servers, proxy }) => {
      await servers.failOver()
      proxy.redirect(Number(new URL(servers.standbyUrl).port))
    },
    mayOccur: synchronous,
  },
]

/** Runs clients that switch between two processes while parts fail, and checks what each client sees. */
export async function runSessions(options: SessionsOptions): Promise<SessionsResult[]> {
  const servers = await startReplicatedPostgres()
  const proxy = await startTcpProxy(Number(new URL(servers.primaryUrl).port))
  const primary = new URL(servers.primaryUrl)
  primary.port = String(proxy.port)
  const env = { DATABASE_URL: primary.href, DATABASE_REPLICA_URLS: servers.standbyUrl }
  const services: ListService[] = []
  const restart = async (index: number) => {
    await services[index]?.stop('SIGKILL')
    services[index] = await startListService(env)
  }
  try {
    services.push(await startListService({ ...env, CREATE_SCHEMA: 'true' }), await startListService(env))
    await servers.follow()
    return await runFailures({ servers, proxy, services, restart }, options)
  } finally {
    await Promise.all(services.map((service) => service.stop('SIGKILL')))
    await proxy.close()
    await servers.close()
  }
}

async function runFailures(deployment: Deployment, { rounds, seed }: SessionsOptions): Promise<SessionsResult[]> {
  const results = [...failures, ...synchronousFailures].map(
    (failure): SessionsResult => ({ failure, transactions: 0, operations: 0, counts: {}, violations: [] }),
  )
  let number = 0
  const runNext = (result: SessionsResult | undefined) => {
    if (result) return runRound(deployment, result, { number, seed: seed + number++ })
  }
  while (number < rounds) await runNext(results[number % failures.length])
  await deployment.servers.delay(0)
  await deployment.servers.synchronize()
  for (const result of results.slice(failures.length)) await runNext(result)
  return results
}

async function runRound(
  deployment: Deployment,
  result: SessionsResult,
  { number, seed }: { readonly number: number; readonly seed: number },
): Promise<void> {
  const round = { level: 'requests', reads: 92, seed, number, transactions: perRound, clients } as const
  const urls = () => deployment.services.map(({ url }) => url)
  const history = await recordHistory({ ...round, urls, failure: () => result.failure.run(deployment) })
  result.transactions += history.length
  result.operations += history.reduce((sum, { operations }) => sum + operations.length, 0)
  const found = [
    ...checkSessions(history).map(({ guarantee, message }) => ({ kind: guarantee, text: message })),
    ...checkHistory(history).map((anomaly) => ({ kind: anomaly.kind, text: formatAnomaly(anomaly) })),
  ]
  for (const { kind, text } of found) {
    result.counts[kind] = (result.counts[kind] ?? 0) + 1
    if (!result.failure.mayOccur.includes(kind)) result.violations.push({ seed, text })
  }
}
