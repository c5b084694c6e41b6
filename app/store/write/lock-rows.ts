import { Cascade, Collection, type EntityMetadata, type EntityProperty, EventType } from '@mikro-orm/core'
import type { Context, ResourceType, Row } from '#kernel/store'
import { readable } from '../sql/column-types.ts'
import { type Compiler, quote } from '../sql/compiler.ts'
import { isInlined } from '../sql/describe-entity.ts'
import { emOf, run, unitOf } from '../unit.ts'

/** A resource type, or association rows: both have an entity. */
export type EntityBacked = Pick<ResourceType, 'entity'>

export interface LockedRow {
  readonly entity: Row
  /** Selected columns that are not properties of the entity; their names begin with `#`. */
  readonly extra: Row
  /** Whether the unit of work managed the entity before. */
  readonly wasManaged: boolean
}

/** Locks rows and adds them to the unit of work, by one statement. Foreign keys may still refer to the rows. */
export async function lockRows(
  compiler: Compiler,
  rows: EntityBacked,
  alias: string,
  where: string,
  context: Context,
  extra: readonly string[] = [],
): Promise<LockedRow[]> {
  const columns = [...columnsOf(compiler, rows, alias), ...extra].join(', ')
  const table = compiler.table(rows as ResourceType)
  const found = await run(
    `select ${columns} from ${table} ${alias} where ${where} for no key update of ${alias}`,
    compiler.parameters,
    context,
  )
  const em = emOf(context)
  const managed = new Set<unknown>(
    em.getUnitOfWork().getIdentityMap().getStore(em.getMetadata().get(rows.entity)).values(),
  )
  return found.map((row) => {
    const [own, extra] = split(row)
    const entity = em.map(rows.entity, own as never) as Row
    return { entity, extra, wasManaged: managed.has(entity) }
  })
}

/**
 * Removes saved members from the unit of work. Each flush compares all managed entities with their stored values: in a
 * batch, the members of earlier operations would make every later operation slower. Keeps members that the parent holds
 * in a collection, because hooks may read them there.
 */
export function releaseMembers(parent: object, members: ReadonlySet<object>, context: Context): void {
  const [first] = members
  if (!first || Object.values(parent).some((value) => holds(value, first))) return
  const unitOfWork = emOf(context).getUnitOfWork()
  for (const member of members) unitOfWork.unsetIdentity(member)
}

function holds(value: unknown, member: object): boolean {
  return value instanceof Collection && value.isInitialized() && value.contains(member)
}

/** The entities that the lock has added to the unit of work. */
export function newlyManaged(rows: readonly LockedRow[]): Row[] {
  return rows.filter(({ wasManaged }) => !wasManaged).map(({ entity }) => entity)
}

/** Locks in the order of the keys, so that two transactions which lock the same rows do not deadlock. */
export function orderByKey(compiler: Compiler, rows: EntityBacked, alias: string): string {
  const type = rows as ResourceType
  const keys = compiler.meta(type).primaryKeys.map((key) => compiler.column(type, key, alias))
  return ` order by ${keys.join(', ')}`
}

function split(row: Row): [own: Row, extra: Row] {
  const own: Row = {}
  const extra: Row = {}
  for (const [name, value] of Object.entries(row)) (name.startsWith('#') ? extra : own)[name] = value
  return [own, extra]
}

/** The columns of the row itself, without to-ones that are mapped from the other side. */
export function columnsOf(compiler: Compiler, rows: EntityBacked, alias: string): string[] {
  const platform = compiler.platform
  return compiler
    .meta(rows as ResourceType)
    .props.filter((property) => property.persist !== false && !property.lazy && property.fieldNames?.length === 1)
    .filter(({ kind, owner }) => kind !== '1:m' && kind !== 'm:n' && (kind !== '1:1' || owner))
    .filter((property) => !isInlined(property))
    .map((property) => {
      const column = quote(property.fieldNames[0] as string)
      return `${readable(`${alias}.${column}`, property, platform)} as ${column}`
    })
}

/** Converts a number of a document to the type of the property: a bigint, or a decimal that is kept as text. */
export function toEntityValue({ entity }: EntityBacked, property: string, value: unknown, context: Context): unknown {
  if (typeof value !== 'number') return value
  const { runtimeType } = unitOf(context).orm.getMetadata().get(entity).properties[property as never] as EntityProperty
  if (runtimeType === 'bigint') return BigInt(value)
  return runtimeType === 'string' ? String(value) : value
}

/** A reference to a row, wrapped if the property declares `ref`. */
export function referTo({ ref }: EntityProperty, { entity }: EntityBacked, key: unknown, context: Context): unknown {
  const reference = emOf(context).getReference(entity, key as never, { wrapped: true }) as { unwrap(): object }
  return ref ? reference : reference.unwrap()
}

/** Whether one statement may delete rows of an entity: no hook, subscriber or cascade of MikroORM takes part. */
export function deletesSilently(meta: EntityMetadata, context: Context): boolean {
  const events = unitOf(context).orm.em.getEventManager()
  return !deleteEvents.some((event) => events.hasListeners(event, meta)) && !meta.props.some(removesOthers)
}

const deleteEvents = [
  EventType.onInit,
  EventType.onLoad,
  EventType.beforeDelete,
  EventType.afterDelete,
  EventType.beforeFlush,
  EventType.onFlush,
  EventType.afterFlush,
]

function removesOthers({ orphanRemoval, cascade = [] }: EntityProperty): boolean {
  return orphanRemoval === true || cascade.includes(Cascade.REMOVE) || cascade.includes(Cascade.ALL)
}
