import { CompiledQuery } from 'kysely'
import { beginByKysely, type Database } from '#store'
import { createStatement, type IndexCandidate } from './index-candidates.ts'
import { listNodes, type Plan, readPlan } from './plan.ts'
import type { ExplainedStatement } from './rehearsal.ts'

/** The plan of a statement with an index that was created for it. */
export interface Trial {
  readonly candidate: IndexCandidate
  /** Null if the index was not created. */
  readonly plan: Plan | null
  /** Whether the planner uses the index. */
  readonly isUsed: boolean
  /** Why PostgreSQL could not create the index, or not execute the statement. */
  readonly failure: string | null
}

const name = 'explain_trial'

/**
 * Creates the index in a transaction, explains the statement again, and rolls back. Until then, the table is locked
 * against writes. Gives up if another transaction holds the table for two seconds.
 */
export async function tryIndex(
  { orm }: Database,
  { sql, parameters }: ExplainedStatement,
  candidate: IndexCandidate,
): Promise<Trial> {
  const transaction = await beginByKysely(orm, 'write')
  const run = (text: string, values: readonly unknown[] = []) =>
    transaction.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, [...values]))
  try {
    await run(`set local lock_timeout to '2s'`)
    await run(createStatement(candidate.index, name))
    const plan = readPlan((await run(`explain (analyze, buffers, format json) ${sql}`, parameters)).rows)
    const isUsed = listNodes(plan.Plan).some((node) => node['Index Name'] === name)
    return { candidate, plan, isUsed, failure: null }
  } catch (error) {
    return { candidate, plan: null, isUsed: false, failure: (error as Error).message }
  } finally {
    await transaction.rollback().execute()
  }
}

export function notTried(candidate: IndexCandidate): Trial {
  return { candidate, plan: null, isUsed: false, failure: null }
}
