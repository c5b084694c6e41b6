import type { Relation, ResourceType } from '#kernel/plugin'
import type { Schema } from '#openapi'
import type { DraftState } from '../draft-state.ts'
import { type AttributesObject, describeAttributes } from './attributes.ts'
import { portablePattern } from './portable-pattern.ts'

/** The schema of an id on the wire. */
export function idSchema({ id }: ResourceType): Schema {
  const pattern = portablePattern(id.format ?? id.urlFormat)
  return {
    type: 'string',
    ...(id.schemaFormat && { format: id.schemaFormat }),
    ...(pattern !== undefined && { pattern }),
  }
}

export function describeIdentifier(type: ResourceType, state: DraftState): Schema {
  return state.component(`${state.nameOf(type)}ResourceIdentifier`, () => ({
    type: 'object',
    properties: {
      type: { type: 'string', const: type.name },
      id: idSchema(type),
      meta: state.refer('Meta'),
    },
    required: ['type', 'id'],
  }))
}

/** One of several schemas, with the discriminator `type`. */
export function byType(
  schemas: readonly (readonly [type: ResourceType, schema: Schema])[],
  keyword: 'oneOf' | 'anyOf' = 'oneOf',
): Schema {
  if (schemas.length === 1) return (schemas[0] as readonly [ResourceType, Schema])[1]
  return {
    [keyword]: schemas.map(([, schema]) => schema),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(schemas.map(([type, { $ref }]) => [type.name, $ref])),
    },
  }
}

/** The `data` of a relationship: identifiers, with `meta.pivot` if the relation has pivot fields. */
export function linkageSchema(relation: Relation, direction: 'response' | 'request', state: DraftState): Schema {
  const one =
    relation.pivotFields.length > 0
      ? withPivot(describeIdentifier(relation.target, state), pivotSchema(relation, direction, state))
      : byType(
          relation.targets.map((type) => [type, describeIdentifier(type, state)]),
          'anyOf',
        )
  return relation.toMany ? { type: 'array', items: one } : { anyOf: [one, { type: 'null' }] }
}

/** The pivot fields of a join table. A request requires none of them, because the row may exist already. */
export function pivotSchema(relation: Relation, direction: 'response' | 'request', state: DraftState): Schema {
  const name = `${state.nameOf(relation.owner, relation.name)}Pivot${direction === 'request' ? 'Input' : ''}`
  return state.component(name, () => {
    const owner = { type: relation.owner, relation, shape: relation.pivotShape, name }
    const objects = describeAttributes(relation.pivotFields, direction === 'request' ? 'create' : 'read', owner)
    state.objects.push(...objects)
    return (objects.at(-1) as AttributesObject).schema
  })
}

function withPivot(identifier: Schema, pivot: Schema): Schema {
  const meta = { type: 'object', properties: { pivot }, additionalProperties: true }
  return { allOf: [identifier, { type: 'object', properties: { meta } }] }
}
