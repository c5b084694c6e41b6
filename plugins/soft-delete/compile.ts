import Joi from 'joi'
import { formText } from '#kernel/errors'
import type { PropertyShape, Registry, ResourceType, Row } from '#kernel/plugin'
import { type Condition, isNull } from '#kernel/queries'

declare module '#kernel/plugin' {
  interface ResourceType {
    /** Undefined without soft deletes. Set in `onCompile`. */
    softDelete?: SoftDelete
  }
}

export const softDeletesForm = Joi.alternatives(
  Joi.boolean(),
  Joi.object({ property: Joi.string().required().messages(formText('is the name of a property')) }),
).messages(formText("is true, or { property: 'deletedAt' } with the name of a property"))

/** The property with the time of the deletion, and whether the type itself declares it. */
export interface SoftDelete {
  readonly property: string
  readonly isDeclared: boolean
  /** The rows that are not trashed. */
  readonly live: Condition
}

/**
 * Sets `softDelete` of the types that declare soft deletes, and of those that show rows of the same table, because a deleted
 * row must not be visible as a resource of another type.
 */
export function compileSoftDeletes(registry: Registry): void {
  const types: readonly ResourceType[] = [...registry.types.values()]
  const declaring = types.flatMap((type) => {
    const property = readDeclaration(type, registry)
    if (property === null) return []
    type.softDelete = { property, isDeclared: true, live: isNull(property) }
    return [{ type, property }]
  })
  for (const { type: declared, property } of declaring) {
    for (const type of types) {
      if (type.softDelete || !sharesRows(type, declared)) continue
      type.softDelete = { property, isDeclared: false, live: isNull(property) }
      if (!type.shape.properties.has(property))
        registry.fail(
          type,
          null,
          `'${declared.name}' has soft deletes by '${property}': ${type.shape.name} needs it too.`,
        )
    }
  }
}

/** The soft deletes of a type, which it or a type of the same table declares. */
export function softDeleteOf({ softDelete }: ResourceType): SoftDelete | undefined {
  return softDelete
}

/** The property with the time of the deletion. Null if the type does not declare soft deletes. */
export function deletionProperty({ softDelete }: ResourceType): string | null {
  return softDelete?.isDeclared ? softDelete.property : null
}

export function isTrashed(type: ResourceType, row: object): boolean {
  const property = deletionProperty(type)
  return property !== null && ((row as Row)[property] ?? null) !== null
}

/** Returns the property. Null if the type has no soft deletes, or if the declaration has faults, which are reported. */
function readDeclaration(type: ResourceType, registry: Registry): string | null {
  const { softDeletes = false } = type.declaration
  if (softDeletes === false) return null
  const property = softDeletes === true ? 'deletedAt' : softDeletes.property
  const faults = findFaults(type, property, registry)
  for (const fault of faults) registry.fail(type, 'softDeletes', fault)
  return faults.length === 0 ? property : null
}

function findFaults(type: ResourceType, name: string, registry: Registry): string[] {
  const { declaration, shape, isStandalone, attributes, persister } = type
  if (isStandalone || declaration.provider || declaration.persister || !persister.purge)
    return ['It needs an entity, read and written by the database: without provider and persister.']
  const property = shape.properties.get(name)
  if (!property) return [`${shape.name} has no property '${name}': add ${name}: p.datetime(3).nullable().`]
  const isWritable = attributes.some(
    ({ property: stored, on, readOnlyOnCreate, readOnlyOnUpdate }) =>
      stored === name && on === null && !(readOnlyOnCreate === true && readOnlyOnUpdate === true),
  )
  return [
    ...(isNullableTime(property) ? [] : [`'${name}' must be a nullable time: p.datetime(3).nullable().`]),
    ...(isWritable ? [`Clients could set '${name}', which DELETE sets: declare the attribute with readOnly().`] : []),
    ...(isAssociation(type, registry)
      ? ['Its rows are members of a many-to-many relation, which reads them without soft deletes.']
      : []),
  ]
}

function isNullableTime({ role, nullable, lazy, column, parse }: PropertyShape): boolean {
  if (role !== 'scalar' || !nullable || lazy || column === undefined) return false
  return parse('2024-01-02T03:04:05.000Z') !== undefined && parse('x') === undefined
}

/** Whether the entity holds the members of a relation: its rows are deleted with the membership. */
function isAssociation({ entity }: ResourceType, { types }: Registry): boolean {
  return [...types.values()].some(({ shape }) =>
    [...shape.properties.values()].some(({ association }) => association === entity),
  )
}

/** Whether the entities are the same, or one inherits from the other. */
function sharesRows({ entity }: ResourceType, { entity: other }: ResourceType): boolean {
  return entity === other || entity.prototype instanceof other || other.prototype instanceof entity
}
