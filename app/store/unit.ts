import type { SqlEntityManager } from '@mikro-orm/sql'
import { CompiledQuery } from 'kysely'
import type { Context, Unit } from '#kernel'

/** The unit as the store sees it. */
export interface StoreUnit extends Unit {
  readonly em: SqlEntityManager
  readonly tasks: (() => Promise<void>)[]
}

export function createUnit(em: SqlEntityManager): StoreUnit {
  const tasks: (() => Promise<void>)[] = []
  return { em, tasks, lids: new Map(), afterCommit: (task) => void tasks.push(task) }
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
