import { Collection, type EntityProperty } from '@mikro-orm/core'
import type { Context, ResourceType, Row } from '#kernel/store'
import { readable } from '../sql/column-types.ts'
import { type Compiler, quote } from '../sql/compiler.ts'
import { isInlined } from '../sql/describe-entity.ts'
import { emOf, run, unitOf } from '../unit.ts'

/** What has an entity behind it: a resource type, or association rows. */
export type Mapped = Pick<ResourceType, 'entity'>

export interface LockedRow {
  readonly entity: Row
  /** Columns selected besides those of the entity; their names begin with `#`. */
  readonly further: Row
  /** Whether the unit of work managed the entity before. */
  readonly wasManaged: boolean
}

/** Reads rows into the unit of work and locks them in one statement; others may still refer to them. */
export async function lockRows(
  compiler: Compiler,
  rows: Mapped,
  alias: string,
  where: string,
  context: Context,
  further: readonly string[] = [],
): Promise<LockedRow[]> {
  const columns = [...columnsOf(compiler, rows, alias), ...further].join(', ')
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
    const [own, others] = split(row)
    const entity = em.map(rows.entity, own as never) as Row
    return { entity, further: others, wasManaged: managed.has(entity) }
  })
}

/**
 * Removes members that are written from the unit of work. Each flush compares all managed entities with their stored
 * values: in a batch, the members of earlier operations would make every later operation slower. Members that the parent
 * holds in a collection stay, because hooks may read them there.
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

/** The entities that only the lock made part of the unit of work. */
export function addedBy(rows: readonly LockedRow[]): Row[] {
  return rows.filter(({ wasManaged }) => !wasManaged).map(({ entity }) => entity)
}

/** In the order of their keys, so that two who lock the same rows do not wait for each other. */
export function inOrder(compiler: Compiler, rows: Mapped, alias: string): string {
  const type = rows as ResourceType
  const keys = compiler.meta(type).primaryKeys.map((key) => compiler.column(type, key, alias))
  return ` order by ${keys.join(', ')}`
}

function split(row: Row): [own: Row, further: Row] {
  const own: Row = {}
  const further: Row = {}
  for (const [name, value] of Object.entries(row)) (name.startsWith('#') ? further : own)[name] = value
  return [own, further]
}

/** All that is stored in the row itself; a to-one mapped from the other side is not. */
export function columnsOf(compiler: Compiler, rows: Mapped, alias: string): string[] {
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

/** From the form a document has to the type of the property: a bigint, a decimal kept as text. */
export function toEntityValue({ entity }: Mapped, property: string, value: unknown, context: Context): unknown {
  const { runtimeType } = unitOf(context).orm.getMetadata().get(entity).properties[property as never] as EntityProperty
  if (typeof value !== 'number') return value
  if (runtimeType === 'bigint') return BigInt(value)
  return runtimeType === 'string' ? String(value) : value
}

/** Points a to-one at a row, in the form the entity holds it. */
export function referTo({ ref }: EntityProperty, { entity }: Mapped, key: unknown, context: Context): unknown {
  const reference = emOf(context).getReference(entity, key as never, { wrapped: true }) as { unwrap(): object }
  return ref ? reference : reference.unwrap()
}
