import { withNewDatabase } from '../list-service/database.ts'
import { type ListService, startListService } from '../list-service/start-service.ts'
import { checkHistory } from './check-history.ts'
import { formatAnomaly } from './format-anomaly.ts'
import { type AnomalyKind, anomalyKinds } from './history.ts'
import { type Level, levels } from './levels.ts'
import { recordHistory } from './workload.ts'

export interface LevelResult {
  readonly level: Level
  transactions: number
  operations: number
  readonly counts: Record<AnomalyKind, number>
  /** Anomalies that the level excludes, with the seed of their round. */
  readonly violations: { readonly seed: number; readonly text: string }[]
}

export interface LevelsOptions {
  /** Reads and appends of lists in all rounds. */
  readonly operations: number
  readonly seed: number
  /** One process with the embedded database, instead of two on a server. */
  readonly embedded: boolean
  readonly onProgress?: (operations: number) => void
}

/** Transactions of one round. */
const perRound = 200
const clients = 8

/** Runs rounds of each level in turn, and checks their histories. */
export function runLevels(options: LevelsOptions): Promise<LevelResult[]> {
  if (options.embedded) return withServices([{ CREATE_SCHEMA: 'true' }], options)
  return withNewDatabase((databaseUrl) => {
    const env = { DATABASE_URL: databaseUrl }
    return withServices([{ ...env, CREATE_SCHEMA: 'true' }, env], options)
  })
}

async function withServices(
  environments: readonly Readonly<Record<string, string>>[],
  options: LevelsOptions,
): Promise<LevelResult[]> {
  const services: ListService[] = []
  try {
    for (const env of environments) services.push(await startListService(env))
    return await runRounds(services, options)
  } finally {
    await Promise.all(services.map((service) => service.stop()))
  }
}

async function runRounds(services: readonly ListService[], options: LevelsOptions): Promise<LevelResult[]> {
  const results = levels.map(emptyResult)
  const urls = () => services.map(({ url }) => url)
  for (let number = 0, sent = 0; sent < options.operations; number++) {
    const result = results[number % results.length] as LevelResult
    const seed = options.seed + number
    const round = { urls, level: result.level.name, seed, number, transactions: perRound, clients }
    const history = await recordHistory(round)
    result.transactions += history.length
    const operations = history.reduce((sum, transaction) => sum + transaction.operations.length, 0)
    result.operations += operations
    for (const anomaly of checkHistory(history)) {
      result.counts[anomaly.kind]++
      const isPromised = !result.level.mayOccur.includes(anomaly.kind)
      if (isPromised) result.violations.push({ seed, text: formatAnomaly(anomaly) })
    }
    sent += operations
    options.onProgress?.(sent)
  }
  return results
}

function emptyResult(level: Level): LevelResult {
  const counts = Object.fromEntries(anomalyKinds.map((kind) => [kind, 0])) as Record<AnomalyKind, number>
  return { level, transactions: 0, operations: 0, counts, violations: [] }
}
