import type { Relation, ResourceType } from '#kernel/plugin'
import type { DescribedLinkage, Schema } from '#openapi'
import type { DraftState } from '../draft-state.ts'
import { idSchema, linkageSchema } from './linkage.ts'
import { attributesNames, describedAs, describeTypeAttributes } from './resources.ts'

/** The request document of a create. */
export function createRequest(type: ResourceType, state: DraftState): Schema {
  return state.component(`${state.nameOf(type)}CreateRequest`, () => {
    const relations = type.relations.filter(
      ({ hidden, readOnlyOnCreate }) => hidden !== true && readOnlyOnCreate !== true,
    )
    const { clientId } = type.id
    const id = clientId === 'forbidden' ? false : { ...idSchema(type), description: 'Chosen by the client.' }
    return describeRequest(type, 'create', id, clientId === 'required', relations, state)
  })
}

/** The request document of an update. */
export function updateRequest(type: ResourceType, state: DraftState): Schema {
  return state.component(`${state.nameOf(type)}UpdateRequest`, () => {
    const relations = type.relations.filter(
      ({ hidden, readOnlyOnUpdate, cannotReplace }) =>
        hidden !== true && readOnlyOnUpdate !== true && cannotReplace !== true,
    )
    return describeRequest(type, 'update', idSchema(type), true, relations, state)
  })
}

/** The request document of a relationship write. */
export function linkageRequest(relation: Relation, state: DraftState): Schema {
  const { toMany, cannotReplace } = relation
  if (!toMany && cannotReplace === true) return withData({ type: 'null' })
  return describeLinkage(relation, 'change', state).schema
}

function describeRequest(
  type: ResourceType,
  usage: 'create' | 'update',
  id: Schema | false,
  needsId: boolean,
  relations: readonly Relation[],
  state: DraftState,
): Schema {
  const attributes = describeTypeAttributes(type, usage, state)
  const relationships = relations.length > 0 ? relationshipsInput(relations, usage, state) : null
  const data: Schema = {
    type: 'object',
    properties: {
      type: { type: 'string', const: type.name },
      id,
      ...(attributes && { attributes: state.refer(state.nameOf(type) + attributesNames[usage]) }),
      ...(relationships && { relationships }),
    },
  }
  state.requestCompletions.push(() => {
    data.required = [
      'type',
      ...(needsId ? ['id'] : []),
      ...(attributes?.schema.required ? ['attributes'] : []),
      ...(relationships?.required ? ['relationships'] : []),
    ]
  })
  return withData(data)
}

function relationshipsInput(relations: readonly Relation[], usage: 'create' | 'update', state: DraftState): Schema {
  const members = relations.map((relation) => describeLinkage(relation, usage, state))
  const properties = members.map(({ relation, schema }) => [
    relation.name,
    { type: 'object', ...describedAs(relation), ...schema },
  ])
  const relationships: Schema = { type: 'object', properties: Object.fromEntries(properties) }
  state.requestCompletions.push(() => {
    const required = members.filter((member) => member.required).map(({ relation }) => relation.name)
    if (required.length > 0) relationships.required = required
  })
  return relationships
}

/** Plugins may set `required` and `nullable`. */
function describeLinkage(relation: Relation, usage: DescribedLinkage['usage'], state: DraftState) {
  const data = linkageSchema(relation, 'request', state)
  const schema = withData(data)
  const described = { relation, usage, nullable: !relation.toMany, required: false, schema }
  state.linkages.push(described)
  state.requestCompletions.push(() => {
    if (!relation.toMany && !described.nullable) schema.properties.data = (data.anyOf as readonly Schema[])[0] as Schema
  })
  return described
}

function withData(data: Schema): Schema & { properties: { data: Schema } } {
  return { type: 'object', properties: { data }, required: ['data'] }
}
