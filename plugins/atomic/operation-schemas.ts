import type { Relation, ResourceType } from '#kernel/plugin'
import type { OpenApiDraft, Schema } from '#openapi'

/** The schemas of all operations: `add` and `update` by type, removals and relationship writes once. */
export function describeOperations(types: readonly ResourceType[], openapi: OpenApiDraft): Schema {
  const { component, nameOf } = openapi
  const adds = types.filter(({ operations }) => operations.has('Create'))
  const updates = types.filter(({ operations }) => operations.has('Update'))
  const removes = types.filter(({ operations }) => operations.has('Delete'))
  const linked = updates.filter(({ relations }) => relations.some(isLinked))
  return component('AtomicOperation', () => ({
    anyOf: [
      ...adds.map((type) => component(`${nameOf(type)}AtomicAdd`, () => addSchema(type, openapi))),
      ...updates.map((type) => component(`${nameOf(type)}AtomicUpdate`, () => updateSchema(type, openapi))),
      ...(removes.length > 0 ? [component('AtomicRemove', () => removeSchema(removes))] : []),
      ...(linked.length > 0 ? [component('AtomicRelationshipChange', () => linkageSchema(linked))] : []),
    ],
  }))
}

const text: Schema = { type: 'string' }
const href: Schema = { type: 'string', description: 'The URL of the target, in place of `ref`.' }
const lid: Schema = { type: 'string', description: 'A name for it inside the batch.' }

function addSchema(type: ResourceType, openapi: OpenApiDraft): Schema {
  const { clientId } = type.id
  const relations = type.relations.filter(
    ({ hidden, readOnlyOnCreate }) => hidden !== true && readOnlyOnCreate !== true,
  )
  return {
    type: 'object',
    properties: {
      op: { type: 'string', const: 'add' },
      href,
      data: {
        type: 'object',
        properties: {
          type: { type: 'string', const: type.name },
          id: clientId === 'forbidden' ? false : text,
          lid,
          ...describeMembers(type, 'Create', relations, openapi),
        },
        required: ['type', ...(clientId === 'required' ? ['id'] : [])],
      },
    },
    required: ['op', 'data'],
  }
}

function updateSchema(type: ResourceType, openapi: OpenApiDraft): Schema {
  const relations = type.relations.filter(
    ({ hidden, readOnlyOnUpdate, cannotReplace }) =>
      hidden !== true && readOnlyOnUpdate !== true && cannotReplace !== true,
  )
  return {
    type: 'object',
    properties: {
      op: { type: 'string', const: 'update' },
      ref: referenceTo([type]),
      href,
      data: {
        type: 'object',
        properties: {
          type: { type: 'string', const: type.name },
          id: text,
          lid,
          ...describeMembers(type, 'Update', relations, openapi),
        },
        required: ['type'],
      },
    },
    required: ['op', 'data'],
  }
}

function removeSchema(types: readonly ResourceType[]): Schema {
  return {
    type: 'object',
    properties: { op: { type: 'string', const: 'remove' }, ref: referenceTo(types), href },
    required: ['op'],
  }
}

/** `add` and `remove` name members of a to-many; `update` replaces the members. */
function linkageSchema(types: readonly ResourceType[]): Schema {
  const names = new Set(types.flatMap(({ relations }) => relations.filter(isLinked).map(({ name }) => name)))
  const targets = [...new Set(types.flatMap(({ relations }) => relations.flatMap(({ targetNames }) => targetNames)))]
  const one = describeIdentifier(targets)
  const ref = referenceTo(types)
  return {
    type: 'object',
    properties: {
      op: { type: 'string', enum: ['add', 'update', 'remove'] },
      ref: {
        ...ref,
        properties: { ...ref.properties, relationship: { type: 'string', enum: [...names] } },
        required: ['type', 'relationship'],
      },
      href,
      data: { anyOf: [{ type: 'array', items: one }, one, { type: 'null' }] },
    },
    required: ['op', 'data'],
  }
}

function isLinked({ hidden, hasRelationshipEndpoint }: Relation): boolean {
  return hidden !== true && hasRelationshipEndpoint
}

function referenceTo(types: readonly ResourceType[]): Schema {
  const names = types.map(({ name }) => name)
  return {
    type: 'object',
    properties: {
      type: { type: 'string', ...(names.length === 1 ? { const: names[0] } : { enum: names }) },
      id: text,
      lid: { type: 'string', description: 'The name an earlier operation gave it.' },
    },
    required: ['type'],
  }
}

function describeMembers(
  type: ResourceType,
  kind: 'Create' | 'Update',
  relations: readonly Relation[],
  { refer, nameOf }: OpenApiDraft,
): Record<string, Schema> {
  const readOnly = kind === 'Create' ? 'readOnlyOnCreate' : 'readOnlyOnUpdate'
  const hasAttributes = type.attributes.some((one) => one.hidden !== true && one[readOnly] !== true)
  const members = relations.map((relation): [string, Schema] => {
    const one = describeIdentifier(relation.targetNames)
    const data = relation.toMany ? { type: 'array', items: one } : { anyOf: [one, { type: 'null' }] }
    return [relation.name, { type: 'object', properties: { data }, required: ['data'] }]
  })
  return {
    ...(hasAttributes && { attributes: refer(`${nameOf(type)}${kind}Attributes`) }),
    ...(members.length > 0 && { relationships: { type: 'object', properties: Object.fromEntries(members) } }),
  }
}

/** By id, or by the local id of an earlier operation. */
function describeIdentifier(types: readonly string[]): Schema {
  return {
    type: 'object',
    properties: {
      type: { type: 'string', ...(types.length === 1 ? { const: types[0] } : { enum: [...types] }) },
      id: text,
      lid: text,
      meta: { $ref: '#/components/schemas/Meta' },
    },
    required: ['type'],
  }
}
