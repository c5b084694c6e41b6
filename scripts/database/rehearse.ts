import { type Database, inTransaction } from '#store'
import { type BaselineUnit, baselineUnits } from './baseline-source.ts'
import type { CatalogRelation, DatabaseCatalog } from './introspect.ts'
import type { Remark } from './plan-types.ts'
import { type Execute, reduceTable } from './reduce-table.ts'
import { triggerRemarks, withoutSettings } from './runtime-names.ts'

/** The statements of a baseline, in an order in which they can be executed. */
export interface BaselineStatements {
  /** Those before all tables. */
  readonly first: readonly string[]
  /** By table or view. */
  readonly tables: ReadonlyMap<string, readonly string[]>
}

export interface Rehearsal {
  readonly baseline: BaselineStatements
  /** The catalogue without the objects that the empty database rejects. */
  readonly catalog: DatabaseCatalog
  readonly remarks: readonly Remark[]
}

/**
 * Executes the statements of a baseline in an empty database: each object on its own, and again after the others if it fails, so
 * that an object that cannot be created does not disable the rest. The statements are returned in the order of success.
 * `created` are the objects of earlier migrations, which the database has.
 */
export async function rehearseBaseline(
  { orm }: Database,
  catalog: DatabaseCatalog,
  created: ReadonlySet<string>,
): Promise<Rehearsal> {
  return inTransaction(orm.em.fork(), async (em) => {
    const execute: Execute = async (statements) => {
      await em.execute('savepoint unit')
      try {
        for (const statement of statements) await em.execute(statement)
        return null
      } catch (error) {
        await em.execute('rollback to savepoint unit')
        return firstLine(error)
      }
    }
    await em.execute(lateBodies)
    await em.execute('savepoint start')
    const { relations, lost } = withoutSettings(catalog)
    const remarks: Remark[] = [...lost]
    let current: DatabaseCatalog = { ...catalog, relations }
    for (;;) {
      const { done, failed } = await executeAll(baselineUnits(current, created), execute)
      const rejected = failed.filter(({ unit }) => unit.kind === 'table')
      if (rejected.length === 0) {
        const kept = withoutFailed(current, failed)
        const all = [
          ...remarks,
          ...triggerRemarks(kept),
          ...failed.flatMap((failure) => describeFailure(failure, current)),
        ]
        return { baseline: toStatements(done), catalog: kept, remarks: all }
      }
      const reduced = new Map<string, CatalogRelation | null>()
      for (const { unit, message } of rejected) {
        const relation = current.relations.find(({ name }) => name === unit.member) as CatalogRelation
        const { kept, lost } = await reduceTable(relation, current, execute)
        reduced.set(relation.name, kept)
        remarks.push(...(kept ? lost : [{ member: unit.member, text: `Not mapped: ${message}` }]))
      }
      const relations = current.relations.flatMap(
        (relation) => reduced.get(relation.name) ?? (reduced.has(relation.name) ? [] : relation),
      )
      current = { ...current, relations }
      await em.execute('rollback to savepoint start')
    }
  })
}

/** A body may call functions that are created later. */
const lateBodies = 'set local check_function_bodies to off'

/** The first line of the message of PostgreSQL. */
function firstLine(error: unknown): string {
  return (error as Error).message.split('\n')[0]?.replace(/\.$/, '') ?? ''
}

interface Failure {
  readonly unit: BaselineUnit
  readonly message: string
}

/** Repeats the failed units until none of them succeeds. */
async function executeAll(units: readonly BaselineUnit[], execute: Execute) {
  const done: BaselineUnit[] = []
  let waiting = units
  for (;;) {
    const failed: Failure[] = []
    for (const unit of waiting) {
      const message = await execute(unit.statements)
      if (message === null) done.push(unit)
      else failed.push({ unit, message })
    }
    if (failed.length === 0 || failed.length === waiting.length) return { done, failed }
    waiting = failed.map(({ unit }) => unit)
  }
}

/** Statements after that of a table belong to it until the next table. */
function toStatements(units: readonly BaselineUnit[]): BaselineStatements {
  const first: string[] = []
  const tables = new Map<string, string[]>()
  let current = first
  for (const { kind, member, statements } of units) {
    if (kind === 'table' || kind === 'view') {
      current = []
      tables.set(member, current)
    }
    if (kind === 'function' && !current.includes(lateBodies)) current.push(lateBodies)
    current.push(...statements)
  }
  return { first, tables }
}

const consequences: Readonly<Record<BaselineUnit['kind'], string>> = {
  type: 'Not in the baseline',
  function: 'Not in the baseline',
  table: 'Not mapped',
  view: 'Not mapped',
  index: 'Not in the baseline',
  'foreign key': 'Not in the baseline',
  trigger: 'Not in the baseline',
  rule: 'Not in the baseline',
}

/** None if the table of an index, key or trigger is reported itself. */
function describeFailure(
  { unit: { kind, member, needs }, message }: Failure,
  { relations }: DatabaseCatalog,
): Remark[] {
  const isExplained = !needs.every((table) => relations.some(({ name }) => name === table))
  return isExplained ? [] : [{ member, text: `${consequences[kind]}: ${message}` }]
}

function withoutFailed(catalog: DatabaseCatalog, failed: readonly Failure[]): DatabaseCatalog {
  const members = new Set(failed.map(({ unit }) => unit.member))
  const relations = catalog.relations
    .filter(({ name }) => !members.has(name))
    .map((relation) => {
      const isKept = ({ name }: { readonly name: string }) => !members.has(`${relation.name}.${name}`)
      return {
        ...relation,
        constraints: relation.constraints.filter(isKept),
        indexes: relation.indexes.filter(isKept),
        triggers: relation.triggers.filter(isKept),
        rules: relation.rules.filter(isKept),
      }
    })
  return { ...catalog, relations }
}
