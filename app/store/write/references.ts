import { type EntityProperty, Reference } from '@mikro-orm/core'
import type { Context, Relation, ResourceType, Row } from '#kernel/store'
import { targetIsTaken } from '../errors/sql-errors.ts'
import { emOf } from '../unit.ts'

/** A row that a foreign key refers to. */
interface Target {
  readonly type: ResourceType
  readonly key: unknown
}

/** A value for a foreign key property: a reference, wrapped if the property declares `ref`. */
export function referTo({ ref }: EntityProperty, { type, key }: Target, context: Context): unknown {
  const reference = emOf(context).getReference(type.entity, key as never, { wrapped: true }) as { unwrap(): object }
  return ref ? reference : reference.unwrap()
}

/**
 * Sets a foreign key property of an entity, for a change of the relation. If another entity of the unit of work holds the
 * target of a one-to-one, MikroORM would change that entity too, without its policy and hooks: then it throws the conflict
 * that the unique key of the table causes in all other cases.
 */
export function setReference(
  entity: Row,
  property: EntityProperty,
  target: Target,
  relation: Relation,
  context: Context,
): void {
  const reference = referTo(property, target, context)
  if (property.kind === '1:1' && property.inversedBy) {
    const holder = unwrap(unwrap(reference)?.[property.inversedBy as string])
    if (holder && holder !== entity) throw targetIsTaken(relation, context)
    leaveTarget(entity, property, context)
  }
  entity[property.name] = reference
}

/** Removes the entity from its former target: MikroORM does so only if it has loaded the new target. */
function leaveTarget(entity: Row, { name }: EntityProperty, context: Context): void {
  entity[name] = null
  emOf(context).getUnitOfWork().cancelOrphanRemoval(entity)
}

function unwrap(reference: unknown): Row | null {
  return reference ? (Reference.unwrapReference(reference) as Row) : null
}
