import { type EntityProperty, Reference } from '@mikro-orm/core'
import type { Context, RelatedKey, Relation, Row } from '#kernel/store'
import { targetIsTaken } from '../errors/write-errors.ts'
import { emOf } from '../unit.ts'

/** A value for a foreign key property: a reference, wrapped if the property declares `ref`. */
export function referTo({ ref }: EntityProperty, { type, key }: RelatedKey, context: Context): unknown {
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
  target: RelatedKey,
  relation: Relation,
  context: Context,
): void {
  const reference = referTo(property, target, context)
  const holder = findHolder(unwrap(reference), property)
  if (holder && holder !== entity) throw targetIsTaken(relation, context)
  entity[property.name] = reference
}

/** The entity that refers to the target by a one-to-one property, if the unit of work contains it. */
function findHolder(target: Row | null, { kind, name, inversedBy }: EntityProperty): Row | null {
  const holder = kind === '1:1' && inversedBy ? unwrap(target?.[inversedBy as string]) : null
  // The inverse side may still name an entity that refers to another target since.
  return holder && unwrap(holder[name]) === target ? holder : null
}

function unwrap(reference: unknown): Row | null {
  return reference ? (Reference.unwrapReference(reference) as Row) : null
}
