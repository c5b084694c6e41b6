import Joi from 'joi'
import { formText } from '#kernel/errors'
import type { PropertyShape, Registry, ResourceType } from '#kernel/plugin'

export const softDeletesForm = Joi.alternatives(
  Joi.boolean(),
  Joi.object({ property: Joi.string().required().messages(formText('is the name of a property')) }),
).messages(formText("is true, or { property: 'deletedAt' } with the name of a property"))

/** The property with the time of the deletion, and whether the type itself declares it. */
export interface SoftDelete {
  readonly property: string
  readonly isDeclared: boolean
}

/**
 * Returns the types with soft deletes: those that declare them, and those that show rows of the same table, because a
 * deleted row must not be visible as a resource of another type.
 */
export function compileSoftDeletes(registry: Registry): ReadonlyMap<ResourceType, SoftDelete> {
  const compiled = new Map<ResourceType, SoftDelete>()
  for (const type of registry.types.values()) {
    const property = readDeclaration(type, registry)
    if (property !== null) compiled.set(type, { property, isDeclared: true })
  }
  for (const [declaring, { property }] of [...compiled]) {
    for (const type of registry.types.values()) {
      if (compiled.has(type) || !sharesRows(type, declaring)) continue
      compiled.set(type, { property, isDeclared: false })
      if (!type.shape.properties.has(property))
        registry.fail(
          type,
          null,
          `'${declaring.name}' has soft deletes by '${property}': ${type.shape.name} needs it too.`,
        )
    }
  }
  return compiled
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
  const { declaration, shape, isStandalone, attributes } = type
  if (isStandalone || declaration.provider || declaration.persister)
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
