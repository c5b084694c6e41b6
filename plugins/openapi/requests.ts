import type { Relation, ResourceType } from '#kernel/plugin'
import type { DescribedLinkage, Schema } from '#openapi'
import { idSchema, linkageSchema } from './linkage.ts'
import { attributesNames, describeAttributesOf, describedAs } from './resources.ts'
import type { Sketch } from './sketch.ts'

/** The request document of a create. */
export function createRequest(type: ResourceType, sketch: Sketch): Schema {
  return sketch.component(`${sketch.nameOf(type)}CreateRequest`, () => {
    const relations = type.relations.filter(
      ({ hidden, readOnlyOnCreate }) => hidden !== true && readOnlyOnCreate !== true,
    )
    const { clientId } = type.id
    const id = clientId === 'forbidden' ? false : { ...idSchema(type), description: 'Chosen by the client.' }
    return requestOf(type, 'create', id, clientId === 'required', relations, sketch)
  })
}

/** The request document of an update. */
export function updateRequest(type: ResourceType, sketch: Sketch): Schema {
  return sketch.component(`${sketch.nameOf(type)}UpdateRequest`, () => {
    const relations = type.relations.filter(
      ({ hidden, readOnlyOnUpdate, cannotReplace }) =>
        hidden !== true && readOnlyOnUpdate !== true && cannotReplace !== true,
    )
    return requestOf(type, 'update', idSchema(type), true, relations, sketch)
  })
}

/** The request document of a relationship write. */
export function linkageRequest(relation: Relation, sketch: Sketch): Schema {
  const { toMany, cannotReplace } = relation
  if (!toMany && cannotReplace === true) return withData({ type: 'null' })
  return describeLinkage(relation, 'change', sketch).schema
}

function requestOf(
  type: ResourceType,
  usage: 'create' | 'update',
  id: Schema | false,
  needsId: boolean,
  relations: readonly Relation[],
  sketch: Sketch,
): Schema {
  const attributes = describeAttributesOf(type, usage, sketch)
  const relationships = relations.length > 0 ? relationshipsInput(relations, usage, sketch) : null
  const data: Schema = {
    type: 'object',
    properties: {
      type: { type: 'string', const: type.name },
      id,
      ...(attributes && { attributes: sketch.refer(sketch.nameOf(type) + attributesNames[usage]) }),
      ...(relationships && { relationships }),
    },
  }
  sketch.closings.push(() => {
    data.required = [
      'type',
      ...(needsId ? ['id'] : []),
      ...(attributes?.schema.required ? ['attributes'] : []),
      ...(relationships?.required ? ['relationships'] : []),
    ]
  })
  return withData(data)
}

function relationshipsInput(relations: readonly Relation[], usage: 'create' | 'update', sketch: Sketch): Schema {
  const members = relations.map((relation) => describeLinkage(relation, usage, sketch))
  const properties = members.map(({ relation, schema }) => [
    relation.name,
    { type: 'object', ...describedAs(relation), ...schema },
  ])
  const relationships: Schema = { type: 'object', properties: Object.fromEntries(properties) }
  sketch.closings.push(() => {
    const required = members.filter((member) => member.required).map(({ relation }) => relation.name)
    if (required.length > 0) relationships.required = required
  })
  return relationships
}

/** Plugins may set `required` and `nullable`. */
function describeLinkage(relation: Relation, usage: DescribedLinkage['usage'], sketch: Sketch) {
  const data = linkageSchema(relation, 'taken', sketch)
  const schema = withData(data)
  const described = { relation, usage, nullable: !relation.toMany, required: false, schema }
  sketch.linkages.push(described)
  sketch.closings.push(() => {
    if (!relation.toMany && !described.nullable) schema.properties.data = (data.anyOf as readonly Schema[])[0] as Schema
  })
  return described
}

function withData(data: Schema): Schema & { properties: { data: Schema } } {
  return { type: 'object', properties: { data }, required: ['data'] }
}
