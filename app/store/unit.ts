import { TransactionContext } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sql'
import { CompiledQuery } from 'kysely'
import type { Condition, Context, ResourceType, Unit } from '#kernel'
import type { DirectQuery, Orm } from './database.ts'
import type { PlainWrite } from './plain-writes.ts'
import type { StoreQueue } from './queue.ts'

type Row = Record<string, unknown>

/** The unit as the store sees it. */
export interface StoreUnit extends Unit {
  readonly orm: Orm
  readonly em: SqlEntityManager
  /** Whether conditions of MikroORM's filters may hold in this unit only. */
  readonly ownsFilters: boolean
  /** What may be seen of each type, by who asks. */
  readonly scopes: Map<Context, Map<ResourceType, Promise<readonly Condition[]>>>
  /** What is to be written without MikroORM. */
  readonly plain: PlainWrite[]
  /** Whether MikroORM has something to write, too. */
  usesEntities: boolean
  run(sql: string, parameters: readonly unknown[]): Promise<Row[]>
}

/** Reads need no EntityManager, unless something asks for it. */
export function createReadUnit(orm: Orm, queue: StoreQueue, direct?: DirectQuery): StoreUnit {
  refuseInsideTransaction()
  let em: SqlEntityManager | undefined
  const unit: StoreUnit = {
    orm,
    lids: new Map(),
    scopes: new Map(),
    plain: [],
    usesEntities: false,
    get em() {
      em ??= orm.em.fork()
      return em
    },
    get ownsFilters() {
      return em !== undefined
    },
    ...jobsOf(queue, () => unit.em),
    run: direct ?? ((sql, parameters) => runIn(unit.em, sql, parameters)),
  }
  return unit
}

export function createWriteUnit(orm: Orm, queue: StoreQueue): StoreUnit {
  refuseInsideTransaction()
  const em = orm.em.fork()
  return {
    orm,
    lids: new Map(),
    scopes: new Map(),
    plain: [],
    usesEntities: false,
    em,
    ownsFilters: true,
    ...jobsOf(queue, () => em),
    run: (sql, parameters) => runIn(em, sql, parameters),
  }
}

export function unitOf(context: Context): StoreUnit {
  return context.unit as StoreUnit
}

export function emOf(context: Context): SqlEntityManager {
  return unitOf(context).em
}

/** Runs a statement with bound parameters, inside the unit's transaction when it has one. */
export function run(sql: string, parameters: readonly unknown[], context: Context): Promise<Row[]> {
  return unitOf(context).run(sql, parameters)
}

export async function runIn(em: SqlEntityManager, sql: string, parameters: readonly unknown[]): Promise<Row[]> {
  const { rows } = await em.getKysely().executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]))
  return rows
}

function jobsOf(queue: StoreQueue, em: () => SqlEntityManager): Pick<Unit, 'enqueue' | 'dequeue'> {
  return {
    enqueue: (job, data) => queue.add(job, data, em()),
    dequeue: (job, id) => queue.remove(job, id, em()),
  }
}

/** A second EntityManager inside an open transaction would wait for ever on the embedded database. */
function refuseInsideTransaction(): void {
  if (TransactionContext.currentTransactionContext()) {
    throw new Error('A unit was opened inside the transaction of another; use the unit of the operation instead.')
  }
}
