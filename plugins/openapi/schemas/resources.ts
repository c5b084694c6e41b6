import {
  type Attribute,
  hasRelatedEndpoint,
  hasRelationshipEndpoint,
  type Relation,
  type ResourceType,
  type Server,
} from '#kernel/plugin'
import { servesTarget } from '#kernel/queries'
import type { Schema } from '#openapi'
import type { DraftState } from '../draft-state.ts'
import { type AttributesObject, describeAttributes, isAlwaysShown, type Usage } from './attributes.ts'
import { idSchema, linkageSchema, pivotSchema } from './linkage.ts'

export const attributesNames: Readonly<Record<Usage, string>> = {
  read: 'Attributes',
  create: 'CreateAttributes',
  update: 'UpdateAttributes',
}

/** Adds the component of the attributes of a type; null if there are none. */
export function describeTypeAttributes(type: ResourceType, usage: Usage, state: DraftState): AttributesObject | null {
  const owner = { type, relation: null, shape: type.shape, name: state.nameOf(type) }
  const objects = describeAttributes(type.attributes, usage, owner)
  const root = objects.at(-1) as AttributesObject
  if (root.members.length === 0) return null
  const optional = root.members.filter(({ attribute }) => usage === 'read' && isOptional(attribute, type))
  if (optional.length > 0) root.schema['x-client'] = { optional: optional.map(({ attribute }) => attribute.name) }
  state.objects.push(...objects)
  state.component(owner.name + attributesNames[usage], () => root.schema)
  return root
}

/** Whether some responses omit an attribute, even without a fieldset. */
function isOptional(attribute: Attribute, { defaultFields }: ResourceType): boolean {
  return !isAlwaysShown(attribute) || defaultFields?.has(attribute.name) === false
}

/** The schema of a resource in a response. */
export function describeResource(type: ResourceType, state: DraftState): Schema {
  const { server } = state
  const name = state.nameOf(type)
  return state.component(`${name}Resource`, () => {
    const attributes = describeTypeAttributes(type, 'read', state)
    const shown = type.relations.filter((relation) => isShown(relation, server))
    const meta = describeMeta(type, state)
    const schema: Schema = {
      type: 'object',
      properties: {
        type: { type: 'string', const: type.name },
        id: idSchema(type),
        ...(meta && { meta }),
        ...(hasLinks(type) && { links: state.refer('Links') }),
        ...(attributes && { attributes: state.refer(`${name}Attributes`) }),
        ...(shown.length > 0 && {
          relationships: {
            type: 'object',
            properties: Object.fromEntries(
              shown.map((relation) => [relation.name, describeRelationship(relation, state)]),
            ),
          },
        }),
      },
      required: ['type', 'id'],
    }
    state.resources.push({ type, schema, meta: {} })
    return schema
  })
}

/** The `meta` of a resource: its own, and `pivot` as a member of a relation with pivot fields. */
function describeMeta(type: ResourceType, state: DraftState): Schema | undefined {
  const pivots = [...state.server.types.values()].flatMap(({ relations }) =>
    relations.filter(({ hidden, pivotFields, target }) => hidden !== true && pivotFields.length > 0 && target === type),
  )
  if (pivots.length === 0) return type.declaration.meta && state.refer('Meta')
  const schemas = pivots.map((relation) => pivotSchema(relation, 'response', state))
  const pivot = schemas.length === 1 ? (schemas[0] as Schema) : { anyOf: schemas }
  return { type: 'object', properties: { pivot }, additionalProperties: true }
}

function isShown(relation: Relation, server: Server): boolean {
  if (relation.hidden === true) return false
  return servesTarget(server, relation) || listLinks(relation, server).length > 0
}

function describeRelationship(relation: Relation, state: DraftState): Schema {
  const { server, nameOf } = state
  return state.component(`${nameOf(relation.owner, relation.name)}Relationship`, () => {
    const links = listLinks(relation, server).map((link) => [link, { type: 'string' }] as const)
    const isLinked = relation.linkage === 'always' && servesTarget(server, relation)
    const schema: Schema = {
      type: 'object',
      ...describedAs(relation),
      ...(isLinked && { 'x-client': { linked: true } }),
      properties: {
        ...(links.length > 0 && { links: { type: 'object', properties: Object.fromEntries(links) } }),
        // Described also if the server lacks the related type, although responses omit it: generated clients read the type.
        data: linkageSchema(relation, 'response', state),
      },
    }
    state.relationships.push({ relation, schema, paged: false, meta: {} })
    return schema
  })
}

function hasLinks({ emitsSelfLink, declaration, actions }: ResourceType): boolean {
  return emitsSelfLink || declaration.links !== undefined || actions.some(({ isLinked }) => isLinked)
}

function listLinks(relation: Relation, server: Server): string[] {
  if (!relation.hasLinks || !relation.owner.operations.has('FetchOne')) return []
  return [
    ...(hasRelationshipEndpoint(relation) ? ['self'] : []),
    ...(hasRelatedEndpoint(server, relation) ? ['related'] : []),
  ]
}

/** The declared description, and whether the relation is deprecated. */
export function describedAs({ options: { description, deprecated } }: Pick<Relation, 'options'>): Schema {
  return { ...(description !== undefined && { description }), ...(deprecated && { deprecated }) }
}
