import type { SqlEntityManager } from '@mikro-orm/sql'
import { CompiledQuery } from 'kysely'
import type { Context, Unit } from '#kernel'
import type { StoreQueue } from './queue.ts'

/** The unit as the store sees it. */
export interface StoreUnit extends Unit {
  em: SqlEntityManager
}

export function createUnit(em: SqlEntityManager, queue: StoreQueue): StoreUnit {
  const unit: StoreUnit = {
    em,
    lids: new Map(),
    enqueue: (job, data) => queue.add(job, data, unit.em),
    dequeue: (job, id) => queue.remove(job, id, unit.em),
  }
  return unit
}

export function emOf(context: Context): SqlEntityManager {
  return (context.unit as StoreUnit).em
}

/** Runs a statement with bound parameters, inside the unit's transaction when it has one. */
export async function run(
  sql: string,
  parameters: readonly unknown[],
  context: Context,
): Promise<Record<string, unknown>[]> {
  const { rows } = await emOf(context)
    .getKysely()
    .executeQuery<Record<string, unknown>>(CompiledQuery.raw(sql, [...parameters]))
  return rows
}
