import type { Relation, ResourceType, Schema } from '#kernel'
import { idSchema, linkageSchema } from './linkage.ts'
import { attributesNames, describeAttributesOf, describedAs } from './resources.ts'
import type { Sketch } from './sketch.ts'

/** The document that makes a resource. */
export function createRequest(type: ResourceType, sketch: Sketch): Schema {
  return sketch.component(`${sketch.nameOf(type)}CreateRequest`, () => {
    const relations = type.relations.filter(({ hidden, readOnlyOnCreate }) => !hidden && readOnlyOnCreate !== true)
    const { clientId } = type.id
    const id = clientId === 'forbidden' ? false : { ...idSchema(type), description: 'Chosen by the client.' }
    return requestOf(type, 'create', id, clientId === 'required', relations, sketch)
  })
}

/** The document that changes a resource: what is left out stays as it is. */
export function updateRequest(type: ResourceType, sketch: Sketch): Schema {
  return sketch.component(`${sketch.nameOf(type)}UpdateRequest`, () => {
    const relations = type.relations.filter(
      ({ hidden, readOnlyOnUpdate, cannotReplace }) => !hidden && readOnlyOnUpdate !== true && cannotReplace !== true,
    )
    return requestOf(type, 'update', idSchema(type), true, relations, sketch)
  })
}

/** The document that changes the members of a relationship. */
export function linkageRequest(relation: Relation, sketch: Sketch): Schema {
  const { toMany, cannotReplace } = relation
  const data = !toMany && cannotReplace === true ? { type: 'null' } : linkageSchema(relation, 'taken', sketch)
  return { type: 'object', properties: { data }, required: ['data'] }
}

function requestOf(
  type: ResourceType,
  moment: 'create' | 'update',
  id: Schema | false,
  needsId: boolean,
  relations: readonly Relation[],
  sketch: Sketch,
): Schema {
  const attributes = describeAttributesOf(type, moment, sketch)
  const data = resourceInput(type, moment, id, needsId, relations, attributes !== null, sketch)
  sketch.closings.push(() => {
    if (attributes?.schema.required) data.required = [...(data.required ?? []), 'attributes']
  })
  return { type: 'object', properties: { data }, required: ['data'] }
}

function resourceInput(
  type: ResourceType,
  moment: 'create' | 'update',
  id: Schema | false,
  needsId: boolean,
  relations: readonly Relation[],
  hasAttributes: boolean,
  sketch: Sketch,
): Schema {
  return {
    type: 'object',
    properties: {
      type: { type: 'string', const: type.name },
      id,
      ...(hasAttributes && { attributes: sketch.refer(sketch.nameOf(type) + attributesNames[moment]) }),
      ...(relations.length > 0 && { relationships: linkageInput(relations, sketch) }),
    },
    required: ['type', ...(needsId ? ['id'] : [])],
  }
}

function linkageInput(relations: readonly Relation[], sketch: Sketch): Schema {
  const members = relations.map((relation): [string, Schema] => [
    relation.name,
    {
      type: 'object',
      ...describedAs(relation),
      properties: { data: linkageSchema(relation, 'taken', sketch) },
      required: ['data'],
    },
  ])
  return { type: 'object', properties: Object.fromEntries(members) }
}
